//! Listening, and what a connection may cost: how many there are, how long they may take.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;

use crate::live::tend;
use crate::routes::answer;
use crate::site::Site;
use crate::write_timeout::WriteTimeout;
use crate::{Options, StartError};

/// What connections may cost.
#[derive(Clone, Copy, Debug)]
pub struct ServerLimits {
    /// How many there may be at a time.
    pub connections: usize,
    /// How many of them may watch live games.
    pub sockets: usize,
    /// How long one may take to send the headers of a request, or wait before it sends the next one.
    pub header_time: Duration,
    /// How long one may read almost nothing of what it has asked for.
    pub read_time: Duration,
}

impl Default for ServerLimits {
    fn default() -> ServerLimits {
        ServerLimits {
            connections: 128,
            sockets: 64,
            header_time: Duration::from_secs(15),
            read_time: Duration::from_secs(20),
        }
    }
}

/// Longer headers are refused, and so are more of them.
const LONGEST_HEADERS: usize = 16 << 10;
const MOST_HEADERS: usize = 64;
/// Threads that answer, and threads that may wait for a disk.
const THREADS: usize = 2;
const WAITING_THREADS: usize = 8;
/// After the system had no descriptor left for a connection.
const BREATHER: Duration = Duration::from_millis(100);

/// A server that answers, on threads of its own, until it is dropped.
pub struct Server {
    site: Arc<Site>,
    address: SocketAddr,
    runtime: Option<Runtime>,
}

impl Server {
    /// Starts to listen and to answer.
    pub fn start(options: &Options) -> Result<Server, StartError> {
        let system =
            |what: &'static str| move |error: io::Error| StartError::System { what, error };
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .max_blocking_threads(WAITING_THREADS)
            .thread_name("web")
            .enable_io()
            .enable_time()
            .build()
            .map_err(system("start threads"))?;
        let wanted = options.address;
        let listener = runtime
            .block_on(TcpListener::bind(wanted))
            .map_err(|error| StartError::Address { address: wanted, error })?;
        let address = listener.local_addr().map_err(system("listen"))?;
        let site = Site::new(options, address.port());
        let folder = options.folder.display().to_string();
        let site = Arc::new(site.map_err(|error| StartError::Folder { folder, error })?);
        runtime.spawn(tend(Arc::downgrade(&site)));
        runtime.spawn(listen(listener, site.clone(), options.limits));
        Ok(Server { site, address, runtime: Some(runtime) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address to open in a browser, with the token.
    pub fn url(&self) -> String {
        format!("http://{}/?{}", self.reachable(), self.site.access.token())
    }

    /// An address that is good once: for the arguments of a program, which others can read.
    pub fn url_once(&self) -> io::Result<String> {
        Ok(format!("http://{}/?{}", self.reachable(), self.site.access.once()?))
    }

    /// An address that can be typed: nobody can go to "all addresses".
    fn reachable(&self) -> SocketAddr {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(match address.ip() {
                std::net::IpAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
                std::net::IpAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
            });
        }
        address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Nothing here has to be finished: it only reads.
            runtime.shutdown_background();
        }
    }
}

async fn listen(listener: TcpListener, site: Arc<Site>, limits: ServerLimits) {
    let places = Arc::new(Semaphore::new(limits.connections));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(BREATHER).await;
            continue;
        };
        let Ok(place) = places.clone().try_acquire_owned() else {
            turn_away(&stream);
            continue;
        };
        let site = site.clone();
        tokio::spawn(async move {
            serve(stream, site, limits).await;
            drop(place);
        });
    }
}

/// Says that there are too many connections, without waiting for anybody.
fn turn_away(stream: &TcpStream) {
    let _ = stream.try_write(
        b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-type: application/json\r\n\
          content-length: 58\r\n\r\n{\"error\":\"too many connections; close some, and try again\"}",
    );
}

async fn serve(stream: TcpStream, site: Arc<Site>, limits: ServerLimits) {
    let _ = stream.set_nodelay(true);
    let stream = TokioIo::new(WriteTimeout::new(stream, limits.read_time));
    let service = service_fn(move |request| {
        let site = site.clone();
        async move { Ok::<_, std::convert::Infallible>(answer(site, request).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_time)
        .max_headers(MOST_HEADERS)
        .max_buf_size(LONGEST_HEADERS)
        .serve_connection(stream, service)
        .with_upgrades();
    // Whoever goes away, or sends what is no request, is nobody's fault.
    let _ = served.await;
}
