// Serves the page where there is no network; the page keeps what it needs for that.

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  const { request } = event;
  const kept = (what) => caches.match(what, { ignoreVary: true });
  // The page may have changed; everything else is named by its content.
  if (request.mode === "navigate") event.respondWith(fetch(request).catch(async () => (await kept(registration.scope)) ?? Response.error()));
  else if (request.method === "GET") event.respondWith(kept(request).then((answer) => answer ?? fetch(request)));
});
