//! The page: a server that shows tournaments and replays below a folder to the user's browser.
//!
//! [`Server::start`] takes [`Options`] and answers until it is dropped. It reads and never writes (games that people begin on the page are played by processes of their own), and it is the only part of
//! Lanista with an async runtime: a process that plays games has none.
//!
//! Reading order: `server` (connections), `access_control` (who is let in), `routes` (what answers what), `site` (what is
//! served), `finding` (what there is below the folder), then one module for every sort of data. `live` is what is not
//! read from a disk: games that are being played.

mod access_control;
mod address;
mod analysis;
mod cluster_file;
mod films;
mod finding;
mod games;
mod growing;
mod live;
mod page_files;
mod play;
mod refusal;
mod replays;
mod reply;
mod routes;
mod run_data;
mod run_json;
mod runs;
mod seat;
mod secret;
mod server;
pub mod share;
mod site;
mod write_timeout;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use table::AnyGame;
use thiserror::Error;

pub use finding::{Reach, id_of};
pub use page_files::{FILES, PageFiles};
pub use server::{Server, ServerLimits};

/// What is served, where, and to whom.
#[derive(Clone)]
pub struct Options {
    /// The folder with tournaments and replays.
    pub folder: PathBuf,
    /// Where to listen; port 0 is any that is free.
    pub address: SocketAddr,
    /// Names that browsers may call this server by, beside `localhost` and addresses in numbers.
    pub hosts: Vec<String>,
    /// The games that are known.
    pub games: &'static [&'static dyn AnyGame],
    /// The files of the page.
    pub page: PageFiles,
    /// How far is looked for tournaments and replays.
    pub reach: Reach,
    /// The sockets of programs that play without the folder of a tournament, as they are at this moment.
    pub plays: fn() -> Vec<PathBuf>,
    /// The program that plays games which people begin on the page; without it they cannot begin any.
    pub program: Option<PathBuf>,
    /// What connections may cost.
    pub limits: ServerLimits,
}

impl Options {
    /// A folder for the user of this machine alone, at any free port.
    pub fn new(folder: PathBuf, games: &'static [&'static dyn AnyGame]) -> Options {
        Options {
            folder,
            address: (Ipv4Addr::LOCALHOST, 0).into(),
            hosts: Vec::new(),
            games,
            page: PageFiles::Embedded,
            reach: Reach::default(),
            plays: host::sockets_of_user,
            program: None,
            limits: ServerLimits::default(),
        }
    }
}

/// Why a server cannot start.
#[derive(Debug, Error)]
pub enum StartError {
    /// The system refused.
    #[error("cannot {what}: {error}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What the system said.
        error: io::Error,
    },
    /// Nothing can listen there.
    #[error("cannot listen at {address}: {error}; --port 0 takes any port that is free")]
    Address {
        /// Where.
        address: SocketAddr,
        /// What the system said.
        error: io::Error,
    },
    /// The folder cannot be read.
    #[error("cannot read the folder {folder}: {error}")]
    Folder {
        /// Which.
        folder: String,
        /// What the system said.
        error: io::Error,
    },
}
