//! A started server and raw sockets, on the loopback address alone.

mod common;
mod data;
mod live;
mod safety;
mod watching;
