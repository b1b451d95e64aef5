// A pad made of a pipe, for a program that looks for one in /dev/input: preloaded, it leads there to the folder MADE_PAD and
// answers what is asked of a pad there.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/input.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>

#define NEXT(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

static const char *led(const char *path, char *buffer, size_t size) {
    static const char there[] = "/dev/input";
    const char *here = getenv("MADE_PAD");
    if (!here || strncmp(path, there, strlen(there)) != 0) return path;
    snprintf(buffer, size, "%s%s", here, path + strlen(there));
    return buffer;
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    int mode = va_arg(more, int);
    va_end(more);
    char buffer[4096];
    return NEXT(open)(led(path, buffer, sizeof buffer), flags, mode);
}

DIR *opendir(const char *path) {
    char buffer[4096];
    return NEXT(opendir)(led(path, buffer, sizeof buffer));
}

int inotify_add_watch(int watcher, const char *path, uint32_t mask) {
    char buffer[4096];
    return NEXT(inotify_add_watch)(watcher, led(path, buffer, sizeof buffer), mask);
}

static void set(unsigned char *bits, size_t size, int bit) {
    if ((size_t)bit / 8 < size) bits[bit / 8] |= 1 << bit % 8;
}

static int answer(unsigned long request, unsigned char *to) {
    static const int keys[] = {BTN_A, BTN_B, BTN_X, BTN_Y, BTN_TL, BTN_TR, BTN_SELECT, BTN_START, BTN_MODE, BTN_THUMBL, BTN_THUMBR};
    static const int axes[] = {ABS_X, ABS_Y, ABS_Z, ABS_RX, ABS_RY, ABS_RZ, ABS_HAT0X, ABS_HAT0Y};
    const size_t size = _IOC_SIZE(request);
    const int number = _IOC_NR(request);
    memset(to, 0, size);
    if (number == _IOC_NR(EVIOCGID)) {
        // One that every list of pads has.
        const struct input_id id = {BUS_USB, 0x045e, 0x028e, 0x0114};
        memcpy(to, &id, size < sizeof id ? size : sizeof id);
    } else if (number == _IOC_NR(EVIOCGNAME(0))) {
        snprintf((char *)to, size, "Made pad");
    } else if (number == 0x20 + EV_KEY) {
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) set(to, size, keys[k]);
    } else if (number == 0x20 + EV_ABS) {
        for (size_t k = 0; k < sizeof axes / sizeof *axes; k++) set(to, size, axes[k]);
    } else if (number >= 0x40 && number <= 0x40 + ABS_MAX) {
        const int axis = number - 0x40;
        const int is_hat = axis >= ABS_HAT0X;
        const int is_trigger = axis == ABS_Z || axis == ABS_RZ;
        struct input_absinfo info = {0};
        info.minimum = is_hat ? -1 : is_trigger ? 0 : -32768;
        info.maximum = is_hat ? 1 : is_trigger ? 255 : 32767;
        memcpy(to, &info, size < sizeof info ? size : sizeof info);
    }
    return size;
}

int ioctl(int file, unsigned long request, ...) {
    va_list more;
    va_start(more, request);
    void *to = va_arg(more, void *);
    va_end(more);
    if (_IOC_TYPE(request) == 'E' && _IOC_DIR(request) == _IOC_READ) return answer(request, to);
    return NEXT(ioctl)(file, request, to);
}
