//! A connection to a NATS server, on a thread of its own. Nobody else knows of an async runtime.

mod inbox;

use std::fmt;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use async_nats::client::RequestErrorKind;
use async_nats::{Client, ConnectOptions, Event};
use futures_util::StreamExt as _;
use thiserror::Error;
use tokio::runtime::{Builder, Runtime};

pub(crate) use inbox::InboxLimits;
use inbox::{BoundedInbox, InboxPlace};

/// Where the server is, and how to be let in. What is secret comes from files.
#[derive(Clone, Default)]
pub struct LinkOptions {
    /// `nats://HOST:PORT`, or several of them with commas between.
    pub url: String,
    /// A file with a token.
    pub token: Option<PathBuf>,
    /// A file with the seed of an nkey.
    pub nkey: Option<PathBuf>,
    /// A file with a JWT and the seed of its key, as `nsc` writes it.
    pub creds: Option<PathBuf>,
    /// A file with the certificates of those whom the server may be vouched for by.
    pub ca: Option<PathBuf>,
    /// Files with a certificate of our own and its key.
    pub identity: Option<(PathBuf, PathBuf)>,
}

/// Addresses may hold a password.
impl fmt::Debug for LinkOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

impl LinkOptions {
    /// The address without what may be secret in it.
    pub fn shown(&self) -> String {
        let plain = |url: &str| match url.rsplit_once('@') {
            Some((before, host)) => {
                let scheme = before.split_once("://").map_or("nats", |(scheme, _)| scheme);
                format!("{scheme}://{host}")
            }
            None => url.to_owned(),
        };
        self.url.split(',').map(plain).collect::<Vec<String>>().join(",")
    }
}

/// Why there is no connection.
#[derive(Debug, Error)]
pub enum LinkError {
    /// A file cannot be read.
    #[error("cannot read {path}: {error}")]
    File {
        /// Which.
        path: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// The server cannot be reached, or does not let us in.
    #[error("cannot connect to {url}: {why}")]
    Connect {
        /// Where.
        url: String,
        /// What went wrong.
        why: String,
    },
    /// The system refused a thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
    /// A subject could not be listened to.
    #[error("cannot listen to {subject}: {why}")]
    Subscribe {
        /// Which.
        subject: String,
        /// What went wrong.
        why: String,
    },
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// Nobody listens.
    Nobody,
    /// It took too long, or the connection is lost.
    TooLate,
    /// It is longer than the server takes.
    TooLong,
}

/// Something that somebody said.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) subject: String,
    pub(crate) payload: Vec<u8>,
    /// Where an answer is waited for.
    pub(crate) reply: Option<String>,
    /// Its place among those that wait, where these are limited.
    _place: Option<InboxPlace>,
}

/// What happens to the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkEvent {
    /// It is there, again.
    Connected,
    /// It is lost; it is tried to make it again.
    Lost,
    /// The server said something is wrong.
    Trouble(String),
}

/// A connection to a NATS server. It comes back by itself when it is lost.
pub struct Link {
    client: Client,
    runtime: Option<Runtime>,
}

impl Link {
    /// Connects. `name` is a token: it is a part of where answers go to. `events` hears what happens
    /// to the connection.
    pub fn connect(
        options: &LinkOptions,
        name: &str,
        events: impl Fn(LinkEvent) + Send + Sync + 'static,
    ) -> Result<Link, LinkError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("nats")
            .enable_all()
            .build()
            .map_err(LinkError::Thread)?;
        let connect = connect_options(options, name)?.event_callback(move |event| {
            events(match event {
                Event::Connected => LinkEvent::Connected,
                Event::Disconnected | Event::LameDuckMode | Event::Draining | Event::Closed => {
                    LinkEvent::Lost
                }
                Event::SlowConsumer(_) => LinkEvent::Trouble("messages are lost".to_owned()),
                Event::ServerError(error) => LinkEvent::Trouble(error.to_string()),
                Event::ClientError(error) => LinkEvent::Trouble(error.to_string()),
            });
            async {}
        });
        let addresses: Vec<String> = options.url.split(',').map(str::to_owned).collect();
        let failed = |why: String| LinkError::Connect { url: options.shown(), why };
        let client = runtime
            .block_on(connect.connect(addresses))
            .map_err(|error| failed(error.to_string()))?;
        Ok(Link { client, runtime: Some(runtime) })
    }

    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("it is there until it is dropped")
    }

    /// The longest message that the server takes.
    pub(crate) fn longest(&self) -> usize {
        self.client.max_payload()
    }

    /// Asks, and waits for the answer.
    pub(crate) fn request(
        &self,
        subject: &str,
        payload: Vec<u8>,
        patience: Duration,
    ) -> Result<Vec<u8>, NoAnswer> {
        let request = async_nats::Request::new().payload(payload.into()).timeout(Some(patience));
        let answer = self.runtime().block_on(self.client.send_request(subject.to_owned(), request));
        answer.map(|answer| answer.payload.into()).map_err(|error| match error.kind() {
            RequestErrorKind::NoResponders => NoAnswer::Nobody,
            RequestErrorKind::MaxPayloadExceeded => NoAnswer::TooLong,
            _ => NoAnswer::TooLate,
        })
    }

    /// Says something. It is sent when the connection is there again, if it is lost.
    pub(crate) fn publish(&self, subject: &str, payload: Vec<u8>) {
        let said = self.client.publish(subject.to_owned(), payload.into());
        // A server that is away for long makes nobody wait.
        let said = async { tokio::time::timeout(Duration::from_secs(1), said).await };
        let _ = self.runtime().block_on(said);
    }

    /// Asks everybody; answers go to `inbox`.
    pub(crate) fn ask_all(&self, subject: &str, inbox: &str) {
        let (subject, inbox) = (subject.to_owned(), inbox.to_owned());
        let said = self.client.publish_with_reply(subject, inbox, Vec::new().into());
        let said = async { tokio::time::timeout(Duration::from_secs(1), said).await };
        let _ = self.runtime().block_on(said);
    }

    /// Everything that is said about a subject, from now on.
    pub(crate) fn subscribe(&self, subject: &str) -> Result<Receiver<Message>, LinkError> {
        let (to_us, messages) = channel();
        self.subscribe_to(subject, InboxLimits::NONE, to_us, |message| message)?;
        Ok(messages)
    }

    /// The same, into a channel that takes other things as well. What is beyond the limits is dropped.
    pub(crate) fn subscribe_to<T: Send + 'static>(
        &self,
        subject: &str,
        limits: InboxLimits,
        to: Sender<T>,
        wrap: impl Fn(Message) -> T + Send + 'static,
    ) -> Result<(), LinkError> {
        let subscribed = self.runtime().block_on(async {
            let subscribed = self.client.subscribe(subject.to_owned()).await;
            let subscribed = subscribed.map_err(|error| error.to_string())?;
            // The server knows of it before anything else is said.
            self.client.flush().await.map_err(|error| error.to_string())?;
            Ok(subscribed)
        });
        let failed = |why: String| LinkError::Subscribe { subject: subject.to_owned(), why };
        let mut messages = subscribed.map_err(failed)?;
        let inbox = BoundedInbox::new(limits);
        self.runtime().spawn(async move {
            while let Some(message) = messages.next().await {
                let Some(place) = inbox.place(&message.subject, message.payload.len()) else {
                    continue;
                };
                let message = Message {
                    subject: message.subject.to_string(),
                    payload: message.payload.into(),
                    reply: message.reply.map(|reply| reply.to_string()),
                    _place: Some(place),
                };
                if to.send(wrap(message)).is_err() {
                    break;
                }
            }
        });
        Ok(())
    }

    /// Waits until everything that was said has left.
    pub(crate) fn flush(&self, patience: Duration) {
        let flush = async { tokio::time::timeout(patience, self.client.flush()).await };
        let _ = self.runtime().block_on(flush);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// A new key: what stays secret, and what the server is told.
pub fn new_key() -> (String, String) {
    let pair = nkeys::KeyPair::new_user();
    (pair.seed().expect("a new pair has a seed"), pair.public_key())
}

fn read(path: &PathBuf) -> Result<String, LinkError> {
    let read = std::fs::read_to_string(path);
    let text = read.map_err(|error| LinkError::File { path: path.display().to_string(), error })?;
    Ok(text.trim().to_owned())
}

fn connect_options(options: &LinkOptions, name: &str) -> Result<ConnectOptions, LinkError> {
    let mut connect = ConnectOptions::new()
        .name(format!("lanista {name}"))
        .custom_inbox_prefix(format!("_INBOX.{name}"))
        .ping_interval(Duration::from_secs(5))
        .reconnect_delay_callback(|tries| {
            // Soon, then less often.
            Duration::from_millis(50 * (1 << tries.min(5)) as u64)
        });
    if let Some(path) = &options.token {
        connect = connect.token(read(path)?);
    }
    if let Some(path) = &options.nkey {
        connect = connect.nkey(read(path)?);
    }
    if let Some(path) = &options.creds {
        let failed = |error| LinkError::File { path: path.display().to_string(), error };
        connect = connect.credentials(&read(path)?).map_err(failed)?;
    }
    if let Some(path) = &options.ca {
        read(path)?;
        connect = connect.add_root_certificates(path.clone()).require_tls(true);
    }
    if let Some((certificate, key)) = &options.identity {
        read(certificate)?;
        read(key)?;
        connect = connect.add_client_certificate(certificate.clone(), key.clone());
    }
    Ok(connect)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        let shown =
            |url: &str| LinkOptions { url: url.to_owned(), ..LinkOptions::default() }.shown();
        assert_eq!(shown("nats://me:secret@host:4222"), "nats://host:4222");
        assert_eq!(shown("tls://token@a,nats://b"), "tls://a,nats://b");
        assert_eq!(shown("localhost"), "localhost");
    }
}
