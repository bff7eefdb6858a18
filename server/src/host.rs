//! How the host of a server proves to be the host: by reading `host.json` in its data folder,
//! where a server that runs says where it listens, and by what secret it knows whoever asks
//! from the same machine.
//!
//! May know that file, never what its reader may do, nor the secret for longer than it takes
//! to write it down: the server keeps its hash.

use crate::ids::HostHash;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// The file in the data folder.
const NAME: &str = "host.json";

/// A secret by which the server knows its host. It is shown to nobody by mistake.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HostSecret(String);

impl HostSecret {
    pub(crate) const fn new(secret: String) -> HostSecret {
        HostSecret(secret)
    }

    /// The secret itself, for the header of a request.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What the server knows it by.
    pub(crate) fn hash(&self) -> HostHash {
        HostHash::of(self.0.as_bytes())
    }
}

/// Says nothing of it.
impl fmt::Debug for HostSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostSecret(..)")
    }
}

/// What the file says.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let error = mancala_server::host::Host::read(folder.path()).unwrap_err();
/// assert!(error.to_string().starts_with("no server runs on the folder "));
/// # std::io::Result::Ok(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Host {
    /// Where the server listens.
    pub address: SocketAddr,
    /// By what it knows its host; another one after each start.
    pub secret: HostSecret,
}

/// Why somebody is not known as the host.
#[derive(Debug, thiserror::Error)]
pub enum NotHost {
    /// There is no such file.
    #[error(
        "no server runs on the folder {}: start one on it, or name the folder of the one that \
         runs with --data (one that was started with --ephemeral has none, and no host)",
        folder.display()
    )]
    NoServer {
        /// Where the file should be.
        folder: PathBuf,
    },
    /// It cannot be read.
    #[error("{} cannot be read: run this as the user that runs the server", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is not what a server writes. What stands in it instead is not said, since the secret
    /// may be part of it.
    #[error("{} is not as a server writes it: start the server anew", file.display())]
    Malformed {
        /// The file.
        file: PathBuf,
    },
}

impl Host {
    /// Reads the file of the server that runs on a folder.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn read(folder: &Path) -> Result<Host, NotHost> {
        let file = folder.join(NAME);
        let text = fs::read(&file).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => NotHost::NoServer {
                folder: folder.to_owned(),
            },
            _ => NotHost::Unreadable {
                file: file.clone(),
                source,
            },
        })?;
        serde_json::from_slice(&text).map_err(|_| NotHost::Malformed { file })
    }
}

/// The file of a server that runs. It is gone when this is dropped.
#[derive(Debug)]
pub(crate) struct HostFile {
    file: PathBuf,
}

impl HostFile {
    /// Writes the file, for the user alone that runs the server, in place of one that a server
    /// has left there which was killed. Whoever reads it finds the old one or this, and all of
    /// it. It need not outlast a power cut, after which there is another.
    pub(crate) fn write(folder: &Path, host: &Host) -> io::Result<HostFile> {
        let partial = folder.join(format!("{NAME}.partial"));
        match fs::remove_file(&partial) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut text = serde_json::to_vec(host)?;
        text.push(b'\n');
        options.open(&partial)?.write_all(&text)?;
        let file = folder.join(NAME);
        fs::rename(&partial, &file)?;
        Ok(HostFile { file })
    }
}

impl Drop for HostFile {
    fn drop(&mut self) {
        // Whoever finds it all the same finds nobody who knows its secret.
        let _left_behind = fs::remove_file(&self.file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(secret: &str) -> Host {
        Host {
            address: ([127, 0, 0, 1], 7070).into(),
            secret: HostSecret::new(secret.to_owned()),
        }
    }

    #[test]
    fn what_is_written_is_read_until_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("host.json.partial"), "of a crash").unwrap();
        for secret in ["old", "new"] {
            let file = HostFile::write(folder.path(), &host(secret)).unwrap();
            let read = Host::read(folder.path()).unwrap();
            assert_eq!(read.address, host(secret).address);
            assert_eq!(read.secret.reveal(), secret);
            if secret == "old" {
                // As a server does that is killed.
                std::mem::forget(file);
            }
        }
        assert!(matches!(
            Host::read(folder.path()),
            Err(NotHost::NoServer { .. })
        ));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_secret_is_shown_to_nobody_by_mistake() {
        let host = host("open sesame");
        assert!(!format!("{host:?}").contains("sesame"));
        let folder = tempfile::tempdir().unwrap();
        for text in [
            r#"{"address":"sesame","secret":"sesame"}"#,
            r#"{"address":"127.0.0.1:1","secret":{"sesame":1}}"#,
            r#"{"secret":"sesame"}"#,
        ] {
            fs::write(folder.path().join(NAME), text).unwrap();
            let error = Host::read(folder.path()).unwrap_err();
            assert!(matches!(error, NotHost::Malformed { .. }));
            assert!(!format!("{error} {error:?}").contains("sesame"));
        }
    }
}
