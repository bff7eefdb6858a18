//! Sockets: opened from one of many addresses, and greeted.
//!
//! May know the upgrade and the greeting, never matches.

use anyhow::{Context as _, bail};
use futures_util::{SinkExt as _, StreamExt as _};
use mancala_protocol::{ClientMessage, SUBPROTOCOL, ServerMessage};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

/// A socket that has greeted.
pub(crate) type Socket = WebSocketStream<TcpStream>;

/// Bytes that a socket keeps for reading, and for writing: 20,000 of the standard ones
/// would be five gigabytes.
const BUFFER_BYTES: usize = 4 * 1024;

/// Addresses of this machine from which sockets come in turn. Each has ports for some
/// 28,000 of them.
const SOURCES: usize = 16;

/// Opens a socket and greets, as whoever has the token or as nobody. `count` is how many
/// were opened before it.
pub(crate) async fn open(
    address: SocketAddr,
    count: usize,
    token: Option<&str>,
) -> anyhow::Result<Socket> {
    let stream = connect(address, count).await.context("cannot connect")?;
    let mut request = format!("ws://{address}/ws").into_client_request()?;
    let protocol = HeaderValue::from_static(SUBPROTOCOL);
    request
        .headers_mut()
        .insert("sec-websocket-protocol", protocol);
    let config = WebSocketConfig::default()
        .read_buffer_size(BUFFER_BYTES)
        .write_buffer_size(0);
    let (mut socket, _) = client_async_with_config(request, stream, Some(config))
        .await
        .context("the socket does not open")?;
    let hello = ClientMessage::Hello {
        id: None,
        token: token.map(str::to_owned),
        client: Some(concat!("mancala-bench/", env!("CARGO_PKG_VERSION")).to_owned()),
    };
    socket.send(text(&hello)).await?;
    let welcome = loop {
        match socket.next().await {
            Some(Ok(Message::Text(text))) => break text,
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            _ => bail!("the socket ended before a greeting"),
        }
    };
    match serde_json::from_str(&welcome)? {
        ServerMessage::Welcome { .. } => Ok(socket),
        _ => bail!("greeted with {welcome}"),
    }
}

async fn connect(address: SocketAddr, count: usize) -> std::io::Result<TcpStream> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // All of 127.0.0.0/8 is this machine.
    if address.ip() == IpAddr::V4(Ipv4Addr::LOCALHOST) && cfg!(target_os = "linux") {
        let last = 1 + (count % SOURCES) as u8;
        socket.bind(SocketAddr::from(([127, 0, 0, last], 0)))?;
    }
    let stream = socket.connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// A message as a frame.
pub(crate) fn text(message: &ClientMessage) -> Message {
    let json = serde_json::to_string(message).expect("every message has a JSON form");
    Message::Text(Utf8Bytes::from(json))
}
