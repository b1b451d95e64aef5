//! What the page offers to the client, as written in `web/page.js` and `web/files.js`.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// A pak that the page knows.
    pub type PageSource;

    #[wasm_bindgen(method, getter)]
    pub fn game(this: &PageSource) -> String;
    #[wasm_bindgen(method, getter)]
    pub fn name(this: &PageSource) -> String;
    #[wasm_bindgen(method, getter)]
    pub fn size(this: &PageSource) -> f64;
    #[wasm_bindgen(method, getter)]
    pub fn root(this: &PageSource) -> u8;
    /// So many of its last bytes hold its directory, if somebody has looked.
    #[wasm_bindgen(method, getter)]
    pub fn directory(this: &PageSource) -> Option<f64>;
    /// The number of the pak that it holds files of in fewer bytes.
    #[wasm_bindgen(method, getter)]
    pub fn lightens(this: &PageSource) -> Option<u32>;
    /// The server that it was fetched from, if it is not the player's own.
    #[wasm_bindgen(method, getter)]
    pub fn store(this: &PageSource) -> Option<String>;

    /// All paks known at the start, an array of `PageSource`; the index is the source's number.
    #[wasm_bindgen(js_namespace = ["strafe", "host"], catch)]
    pub async fn sources() -> Result<JsValue, JsValue>;

    /// A stretch of a pak, as a `Uint8Array`; only `parts` of it (starts and ends in turn) need be right.
    #[wasm_bindgen(js_namespace = ["strafe", "host"], catch)]
    pub async fn read(
        source: u32,
        start: f64,
        end: f64,
        parts: Vec<f64>,
    ) -> Result<JsValue, JsValue>;

    /// Keeps a pak of a server in the browser, apart from the player's own, and announces it. Gives the
    /// reason if the browser will have forgotten it the next time.
    #[wasm_bindgen(js_namespace = ["strafe", "host"], js_name = "keepPak", catch)]
    pub async fn keep_pak(
        game: &str,
        name: &str,
        bytes: &[u8],
        store: &str,
    ) -> Result<JsValue, JsValue>;

    /// Removes a pak of a server.
    #[wasm_bindgen(js_namespace = ["strafe", "host"], js_name = "removePak", catch)]
    pub async fn remove_pak(source: u32) -> Result<JsValue, JsValue>;

    /// A mod's module as WebAssembly, a `Uint8Array`, made for this place in memory; what makes it is fetched the first time.
    #[wasm_bindgen(js_namespace = ["strafe", "host"], catch)]
    pub async fn translate(file: js_sys::Uint8Array, base: u32) -> Result<JsValue, JsValue>;

    /// Pixels, rows from the top and four bytes each, as a file of this kind, a `Uint8Array`.
    #[wasm_bindgen(js_namespace = ["strafe", "host"], js_name = "encodePicture", catch)]
    pub async fn encode_picture(
        rgba: wasm_bindgen::Clamped<&[u8]>,
        width: u32,
        height: u32,
        media: &str,
    ) -> Result<JsValue, JsValue>;

    /// Offers bytes to the player as a download.
    #[wasm_bindgen(js_namespace = ["strafe", "host"], js_name = "saveFile")]
    pub fn save_file(name: &str, bytes: &[u8]);

    #[wasm_bindgen(js_namespace = ["strafe", "host"])]
    pub fn load(name: &str) -> Option<String>;

    #[wasm_bindgen(js_namespace = ["strafe", "host"], catch)]
    pub fn store(name: &str, text: &str) -> Result<(), JsValue>;

    /// A way to a server as `web/link.js` makes it.
    #[derive(Debug)]
    pub type PageLink;

    /// Begins to open a way; `hear` is told a word and what belongs to it.
    #[wasm_bindgen(js_namespace = ["strafe", "host"], js_name = "openLink", catch)]
    pub fn open_link(
        server: &str,
        hear: &Closure<dyn Fn(String, JsValue)>,
    ) -> Result<PageLink, JsValue>;

    /// Sends a datagram, in the packets that its way takes.
    #[wasm_bindgen(method)]
    pub fn send(this: &PageLink, packets: Vec<js_sys::Uint8Array>);
    #[wasm_bindgen(method)]
    pub fn deposit(this: &PageLink, text: &str);
    /// Leaves the way to the next run of the page; false if there is none to leave. It is silent then.
    #[wasm_bindgen(method, js_name = "setAside")]
    pub fn set_aside(this: &PageLink, resume_state: &str) -> bool;
    /// After this it is silent.
    #[wasm_bindgen(method)]
    pub fn close(this: &PageLink);

    /// Console lines of the page's address, in order.
    #[wasm_bindgen(js_namespace = ["strafe", "host"], js_name = "startCommands")]
    pub fn start_commands() -> Vec<String>;

    /// Whether the mouse belongs to the game.
    #[wasm_bindgen(js_namespace = ["strafe", "host"], js_name = "grabMouse")]
    pub fn grab_mouse(wants: bool);

    /// Whether the browser has taken WebGL's context away.
    #[wasm_bindgen(js_namespace = ["strafe", "host"], js_name = "isContextLost")]
    pub fn is_context_lost() -> bool;

    /// Whether the page is in front, whatever of it has the keys.
    #[wasm_bindgen(js_namespace = ["strafe", "host"], js_name = "hasFocus")]
    pub fn has_focus() -> bool;

    /// Whether the pointer is locked right now.
    #[wasm_bindgen(js_namespace = ["strafe", "host"], js_name = "isMouseGrabbed")]
    pub fn is_mouse_grabbed() -> bool;

    /// Whether the game fills the screen.
    #[wasm_bindgen(js_namespace = ["strafe", "host"], js_name = "setFullscreen")]
    pub fn set_fullscreen(wants: bool);

    /// Where sound goes to: the meter before the loudspeakers; its context runs after the first key or click.
    #[wasm_bindgen(js_namespace = ["strafe", "host"], js_name = "openAudio", catch)]
    pub fn open_audio() -> Result<web_sys::AnalyserNode, JsValue>;

    /// The client's state as JSON, for the overlay and for tests.
    #[wasm_bindgen(js_namespace = ["strafe", "host"])]
    pub fn report(status: &str);
    #[wasm_bindgen(js_namespace = ["strafe", "host"])]
    pub fn speak(text: &str);

    /// Whether a device without keys is to show some, and tell how it is turned.
    #[wasm_bindgen(js_namespace = ["strafe", "host"], js_name = "wantInput")]
    pub fn want_input(wants_text: bool, wants_gyro: bool);

    /// Asks the relay which servers there are, these among them; answered by the event `strafe-servers`.
    #[wasm_bindgen(js_namespace = ["strafe", "host"], js_name = "fetchServers")]
    pub fn fetch_servers(favourites: &str);

    /// Puts a text into the clipboard.
    #[wasm_bindgen(js_namespace = ["strafe", "host"])]
    pub fn copy(text: &str);

    /// Opens the page once more, without what its address asked for.
    #[wasm_bindgen(js_namespace = ["strafe", "host"], js_name = "beginAnew")]
    pub fn begin_anew();

    /// Waits until the page has done what else it has to do.
    #[wasm_bindgen(js_namespace = ["strafe", "host"])]
    pub fn turn() -> js_sys::Promise;
    /// What came of a replay.
    #[wasm_bindgen(js_namespace = ["strafe", "host"])]
    pub fn replayed(text: &str);

    /// Something nobody can go on from; shown over everything.
    #[wasm_bindgen(js_namespace = ["strafe", "host"])]
    pub fn fail(reason: &str);

    #[wasm_bindgen(js_namespace = console)]
    pub fn log(line: &str);
}

/// A part of what a script tells.
pub fn part(whole: &JsValue, name: &str) -> Option<JsValue> {
    js_sys::Reflect::get(whole, &JsValue::from_str(name)).ok()
}

/// Bytes that the page has given, or what the exception says.
pub fn bytes_of(answer: Result<JsValue, JsValue>) -> Result<Vec<u8>, String> {
    answer
        .map(|bytes| js_sys::Uint8Array::new(&bytes).to_vec())
        .map_err(|error| text_of(&error))
}

/// What a JavaScript exception says.
pub fn text_of(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => error.as_string().unwrap_or_else(|| format!("{error:?}")),
    }
}
