//! Saves many URLs as thumbnail files: one future per load, all in progress at once, driven by an executor of twenty
//! lines.
//!
//! ```sh
//! cargo run --example thumbnails -- FOLDER URL…
//! ```

use sdimage::{EncodeOptions, Format, Load, Manager, Request};
use std::env;
use std::fs;
use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// Wakes a parked thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs one future on this thread; programs with an executor use that instead.
fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

/// Waits for a load and writes its image.
async fn save(load: Load, place: &Path) -> Result<(u32, u32), Box<dyn std::error::Error>> {
    let picture = load.await?.image().ok_or("no picture")?;
    fs::write(place, &*picture.encode(Format::Webp, &EncodeOptions::new().quality(0.8))?)?;
    Ok((picture.width(), picture.height()))
}

async fn run(folder: &Path, urls: &[String]) -> Result<usize, Box<dyn std::error::Error>> {
    let manager = Manager::new()?;
    let requests = urls.iter().map(|url| Request::new(url).thumbnail_size(128, 128));
    // All loads are in progress before the first is awaited.
    let loads: Vec<Load> = requests.map(|request| manager.load_async(&request)).collect::<Result<_, _>>()?;
    let mut failed = 0;
    for (number, (load, url)) in loads.into_iter().zip(urls).enumerate() {
        match save(load, &folder.join(format!("{number}.webp"))).await {
            Ok((width, height)) => println!("{number}.webp {width}x{height}"),
            Err(why) => {
                eprintln!("{url}: {why}");
                failed += 1;
            }
        }
    }
    Ok(failed)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [folder, urls @ ..] = arguments.as_slice() else {
        eprintln!("usage: thumbnails FOLDER URL...");
        return ExitCode::from(2);
    };
    match block_on(run(Path::new(folder), urls)) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("thumbnails: {why}");
            ExitCode::FAILURE
        }
    }
}
