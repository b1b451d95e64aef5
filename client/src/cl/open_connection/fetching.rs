//! Paks that the server hands out over the connection: asked for one after the other, each block confirmed.

use super::{ChannelOutput, OpenConnection};
use crate::cl::{
    Notice, Stats, Update,
    download::{Downloads, Outcome},
    systeminfo::Pak,
};
use shared::{base::time::ClientTime, net::svc::Download};

impl OpenConnection {
    pub(super) fn handle_download(
        &mut self,
        now: ClientTime,
        download: &Download,
        stats: &mut Stats,
        output: &mut ChannelOutput,
    ) {
        match self.downloads.handle(now, download) {
            Outcome::Ignored => {}
            Outcome::Unexpected => self.stop_stray_download(now, output),
            Outcome::Confirm(confirm) => {
                // Each message repeats what is not acknowledged: one for each block would be half as much as
                // the pak itself.
                self.push_engine(now, &confirm, output);
                self.owes_confirmation = true;
            }
            Outcome::Complete {
                confirm,
                pak,
                bytes,
            } => {
                self.push_engine(now, &confirm, output);
                output.updates.push(Update::PakFetched { pak, bytes });
                self.start_next_download(now, output);
                self.send_without_usercmds(now, stats, output);
                self.send_without_usercmds(now, stats, output);
            }
            Outcome::Failed { pak, fault } => {
                if !matches!(download, Download::Refused { .. }) {
                    self.push_engine(now, "stopdl", output);
                }
                output
                    .updates
                    .push(Update::Notice(Notice::DownloadFailed { pak, fault }));
                self.start_next_download(now, output);
                self.send_without_usercmds(now, stats, output);
            }
        }
    }

    /// Fetches paks from the server; the level is told anew afterwards.
    pub fn download(&mut self, now: ClientTime, paks: &[Pak], output: &mut ChannelOutput) {
        let (downloads, refused) = Downloads::new(paks);
        self.downloads = downloads;
        for pak in refused {
            let fault = "its name is not that of a pak in a game folder".to_owned();
            output
                .updates
                .push(Update::Notice(Notice::DownloadFailed { pak, fault }));
        }
        self.start_next_download(now, output);
    }

    fn start_next_download(&mut self, now: ClientTime, output: &mut ChannelOutput) {
        self.has_stopped_download = false;
        match self.downloads.start_next(now) {
            Some(command) => self.push_engine(now, &command, output),
            // Some servers stay silent until they hear that it is over, even if they refused all.
            None if self.downloads.has_asked() => self.push_engine(now, "donedl", output),
            None => {}
        }
    }

    /// Gives the running download up; the next pak follows.
    pub(super) fn skip_download(
        &mut self,
        now: ClientTime,
        output: &mut ChannelOutput,
        fault: &str,
    ) {
        if let Outcome::Failed { pak, fault } = self.downloads.fail(fault.to_owned()) {
            output
                .updates
                .push(Update::Notice(Notice::DownloadFailed { pak, fault }));
            self.push_engine(now, "stopdl", output);
            self.start_next_download(now, output);
        } else {
            self.stop_stray_download(now, output);
        }
    }

    /// Tells the server once that nobody waits for its blocks.
    fn stop_stray_download(&mut self, now: ClientTime, output: &mut ChannelOutput) {
        if !std::mem::replace(&mut self.has_stopped_download, true) {
            self.push_engine(now, "stopdl", output);
        }
    }

    /// Gives all downloads up.
    pub fn stop_downloads(&mut self, now: ClientTime, output: &mut ChannelOutput) {
        if self.downloads.is_running() {
            self.downloads = Downloads::default();
            self.has_stopped_download = true;
            self.push_engine(now, "stopdl", output);
            self.push_engine(now, "donedl", output);
        }
    }
}
