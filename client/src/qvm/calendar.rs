//! Calendar: the day and the time of day, as modules ask for them.

use super::layout::{Answer, Fields};
use vm::Memory;

/// The time of day in Greenwich, and as seconds.
pub fn put_time(memory: &mut Memory<'_>, address: u32, seconds: i64) -> Answer {
    if address != 0 {
        let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let date = Date::of(days);
        let mut fields = Fields(memory.slice_mut(address, 36)?);
        let second = second as i32;
        fields.i32s(0, &[second % 60, second / 60 % 60, second / 3600]);
        fields.i32s(12, &[date.day, date.month, date.year - 1900]);
        fields.i32s(24, &[date.week_day, date.year_day, 0]);
    }
    Ok(seconds as i32)
}

/// A day of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Date {
    year: i32,
    /// From 0.
    month: i32,
    /// From 1.
    day: i32,
    /// From Sunday, 0.
    week_day: i32,
    /// From 0.
    year_day: i32,
}

impl Date {
    /// So many days after the first of 1970.
    fn of(days: i64) -> Self {
        let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let length = |year: i64| if is_leap(year) { 366 } else { 365 };
        let week_day = (days + 4).rem_euclid(7) as i32;
        // Beyond these years there is nobody to ask.
        let (mut year, mut left) = (1970, days.clamp(0, 365 * 1000));
        while left >= length(year) {
            left -= length(year);
            year += 1;
        }
        let year_day = left as i32;
        let months = [31, if is_leap(year) { 29 } else { 28 }];
        let months = months
            .into_iter()
            .chain([31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);
        let mut month = 0;
        for days in months {
            if left < days {
                break;
            }
            left -= days;
            month += 1;
        }
        Self {
            year: year as i32,
            month,
            day: left as i32 + 1,
            week_day,
            year_day,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let check = |seconds: i64, expected: [i32; 5]| {
            let date = Date::of(seconds.div_euclid(86_400));
            let got = [
                date.year,
                date.month,
                date.day,
                date.week_day,
                date.year_day,
            ];
            assert_eq!(got, expected, "{seconds}");
        };
        check(0, [1970, 0, 1, 4, 0]);
        check(951_782_400, [2000, 1, 29, 2, 59]);
        check(1_798_675_199, [2026, 11, 30, 3, 363]);
        check(-5, [1970, 0, 1, 3, 0]);
    }
}
