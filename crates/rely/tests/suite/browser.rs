//! A real Chromium without a window, driven by chromedriver over its W3C WebDriver protocol.
//!
//! Nothing here needs the network: the driver listens on the loopback interface, on a port that it
//! chooses, and pages are opened as files. Driver and browser are ended when the value is dropped, and
//! whatever files they have made go away.

use crate::support::Directory;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Where the driver may be, in the order in which it is looked for.
const DRIVERS: [&str; 2] = ["chromedriver", "/usr/lib/chromium/chromedriver"];
/// How a page is drawn, and what a browser does on its own that it must not do here.
const FLAGS: [&str; 9] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
];
/// Nothing is expected within some time: this is for a browser that hangs.
const AMPLE: Duration = Duration::from_secs(3600);
/// The driver itself gives up when the browser has not started after a minute, which can take longer on
/// a busy machine.
const MOST_STARTS: usize = 5;
/// The name under which the protocol hands out elements.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// One browser at a time: they are large.
static ONLY_ONE: Mutex<()> = Mutex::new(());

/// A running browser.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _files: Directory,
    _only_one: MutexGuard<'static, ()>,
}

impl Browser {
    /// Starts a browser. `None` if there is none and `RELY_REQUIRE_BROWSER` does not ask for it.
    pub fn start(name: &str) -> Option<Browser> {
        let only_one = ONLY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let files = Directory::new();
        let Some(mut driver) = DRIVERS.iter().find_map(|command| start_driver(command, files.folder()))
        else {
            assert!(std::env::var_os("RELY_REQUIRE_BROWSER").is_none(), "chromedriver is not installed");
            tell(&format!("left out: `{name}` needs chromedriver and Chromium"));
            return None;
        };
        let port = port_of(&mut driver);
        let mut flags: Vec<String> = FLAGS.map(str::to_owned).to_vec();
        flags.push(format!("--user-data-dir={}", files.path("profile").display()));
        let session = String::new();
        let mut browser = Browser { driver, port, session, _files: files, _only_one: only_one };
        let timeouts = json!({ "script": AMPLE.as_millis(), "pageLoad": AMPLE.as_millis() });
        let capabilities = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "timeouts": timeouts,
            "goog:chromeOptions": { "args": flags },
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        } } });
        let mut starts = (0..MOST_STARTS).map(|_| browser.exchange("POST", "/session", &capabilities));
        let answer = starts.find_map(|answer| answer.ok().filter(|(status, _)| *status == 200));
        let (_, answer) = answer.expect("the browser starts");
        let answer: Value = serde_json::from_str(&answer).expect("the driver speaks JSON");
        browser.session = answer["value"]["sessionId"].as_str().expect("a session has an id").to_owned();
        browser.prefer("light");
        // What the browser's own first page asks for is no concern of ours.
        browser.command("POST", "url", &json!({ "url": "about:blank" }));
        browser.requests();
        browser.complaints();
        Some(browser)
    }

    /// Opens a file and waits until it is loaded.
    pub fn open(&self, page: &Path) {
        let page = page.canonicalize().expect("the page exists");
        self.command("POST", "url", &json!({ "url": format!("file://{}", page.display()) }));
        self.settle();
    }

    /// Waits until two frames were drawn: what a page does when it is scrolled or gets another size it
    /// does before the next frame.
    fn settle(&self) {
        let script = "requestAnimationFrame(() => requestAnimationFrame(() => arguments[0]()))";
        self.command("POST", "execute/async", &json!({ "script": script, "args": [] }));
    }

    /// What a script that ends with `return` returns.
    pub fn run(&self, script: &str) -> Value {
        self.command("POST", "execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// The text of the first element that matches a selector.
    pub fn text(&self, selector: &str) -> String {
        let script = format!("return document.querySelector({}).textContent", json!(selector));
        self.run(&script).as_str().expect("elements have text").to_owned()
    }

    /// How many elements match a selector.
    pub fn count(&self, selector: &str) -> u64 {
        let script = format!("return document.querySelectorAll({}).length", json!(selector));
        self.run(&script).as_u64().expect("a number")
    }

    /// Clicks on the first element that matches, as a user does.
    pub fn click(&self, selector: &str) {
        let element = self.element(selector);
        self.command("POST", &format!("element/{element}/click"), &json!({}));
        self.settle();
    }

    /// Chooses an option of the first element that matches, as a user does with the keyboard.
    pub fn choose(&self, selector: &str, option: &str) {
        let script = format!(
            "const list = document.querySelector({}); list.value = {}; list.dispatchEvent(new Event('change'))",
            json!(selector),
            json!(option)
        );
        self.run(&script);
        self.settle();
    }

    /// Moves the mouse over the first element that matches.
    pub fn hover(&self, selector: &str) {
        let origin = json!({ ELEMENT: self.element(selector) });
        let moves = json!([{ "type": "pointerMove", "duration": 0, "origin": origin, "x": 0, "y": 0 }]);
        let mouse = json!({ "type": "pointer", "id": "mouse", "actions": moves });
        self.command("POST", "actions", &json!({ "actions": [mouse] }));
        self.settle();
    }

    /// Presses and releases a key: a character, or one of the protocol's codes.
    pub fn press(&self, key: &str) {
        let strokes = json!([{ "type": "keyDown", "value": key }, { "type": "keyUp", "value": key }]);
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": strokes });
        self.command("POST", "actions", &json!({ "actions": [keyboard] }));
        self.settle();
    }

    /// Gives the page a size, whatever size a window can have.
    pub fn resize(&self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", size);
        self.settle();
    }

    /// Makes the page light or dark, and in any case one on which nothing moves slowly.
    pub fn prefer(&self, scheme: &str) {
        let features = json!([
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ]);
        self.devtools("Emulation.setEmulatedMedia", json!({ "features": features }));
        self.settle();
    }

    /// What the browser shows, as a PNG file in base64.
    pub fn screenshot(&self) -> String {
        let picture = self.command("GET", "screenshot", &Value::Null);
        picture.as_str().expect("a picture").to_owned()
    }

    /// Warnings and errors of the console since the last call.
    pub fn complaints(&self) -> Vec<String> {
        let entries = self.command("POST", "se/log", &json!({ "type": "browser" }));
        let entries = entries.as_array().expect("a list").iter();
        entries.map(|entry| format!("{}: {}", entry["level"], entry["message"])).collect()
    }

    /// The addresses that were asked for since the last call.
    pub fn requests(&self) -> Vec<String> {
        let entries = self.command("POST", "se/log", &json!({ "type": "performance" }));
        let mut addresses = Vec::new();
        for entry in entries.as_array().expect("a list") {
            let message: Value =
                serde_json::from_str(entry["message"].as_str().unwrap_or("null")).expect("JSON in JSON");
            let event = &message["message"];
            if event["method"] == "Network.requestWillBeSent" {
                addresses.push(event["params"]["request"]["url"].as_str().unwrap_or("?").to_owned());
            }
        }
        addresses
    }

    fn devtools(&self, command: &str, parameters: Value) {
        self.command("POST", "goog/cdp/execute", &json!({ "cmd": command, "params": parameters }));
    }

    fn element(&self, selector: &str) -> String {
        let found = self.command("POST", "element", &json!({ "using": "css selector", "value": selector }));
        found[ELEMENT].as_str().unwrap_or_else(|| panic!("no element matches {selector}")).to_owned()
    }

    fn command(&self, method: &str, path: &str, body: &Value) -> Value {
        self.request(method, &format!("/session/{}/{path}", self.session), body)
    }

    /// One exchange with the driver; errors of the driver are failures of the test.
    fn request(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, answer) = self.exchange(method, path, body).expect("the driver answers");
        let answer: Value = serde_json::from_str(&answer).expect("the driver speaks JSON");
        assert!(status == 200, "{method} {path}: {}", answer["value"]["message"]);
        answer["value"].clone()
    }

    fn exchange(&self, method: &str, path: &str, body: &Value) -> std::io::Result<(u16, String)> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(AMPLE))?;
        let body = if body.is_null() { String::new() } else { body.to_string() };
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.port,
            body.len()
        )?;
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let status = line.split_whitespace().nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        let mut length = 0;
        loop {
            line.clear();
            if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer)?;
        Ok((status, String::from_utf8_lossy(&answer).into_owned()))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            self.exchange("DELETE", &format!("/session/{}", self.session), &Value::Null).ok();
        }
        self.driver.kill().ok();
        self.driver.wait().ok();
    }
}

/// Says something that is seen although the test passes.
pub fn tell(text: &str) {
    writeln!(std::io::stderr(), "{text}").expect("standard error is open");
}

/// What driver and browser do not put into the profile they put where the environment says.
fn start_driver(command: &str, files: &Path) -> Option<Child> {
    let mut driver = Command::new(command);
    driver.env("TMPDIR", files);
    driver.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    driver.spawn().ok()
}

/// The driver says on which port it listens.
fn port_of(driver: &mut Child) -> u16 {
    let output = driver.stdout.take().expect("the output is piped");
    let mut lines = BufReader::new(output).lines().map_while(Result::ok);
    let words = "started successfully on port ";
    let line = lines.find(|line| line.contains(words)).expect("the driver says its port");
    let port = line.split(words).nth(1).unwrap_or_default().trim_end_matches('.');
    // Whatever it says later must not fill the pipe.
    std::thread::spawn(move || lines.for_each(drop));
    port.parse().expect("a port is a number")
}
