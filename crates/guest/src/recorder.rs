//! Writes what the air recorded into the run's working folder.

use std::io;
use std::path::{Path, PathBuf};

use airtcp_air::{AirCapture, Outbox, WorldOptions};
use airtcp_plan::report::{AIR_REPORT, AirReport, RECORDS_FOLDER};

use crate::capture::air_capture::{AirCaptures, SentHeads};
use crate::capture::radio_mpdu::MpduHeads;
use crate::output::write_report;
use crate::series::Series;

/// The air's records and its report.
pub struct Recorder {
    folder: PathBuf,
    /// The series of the plan, by the places of [`WorldOptions::tables`].
    series: Vec<Option<Series>>,
    air: Option<AirCaptures>,
}

impl Recorder {
    /// Opens the record files of a world with these options.
    ///
    /// # Errors
    /// An error of the file system.
    pub fn create(folder: &Path, options: &WorldOptions) -> io::Result<Self> {
        let records = folder.join(RECORDS_FOLDER);
        std::fs::create_dir_all(&records)?;
        let tables = options.tables().into_iter();
        let series = tables.map(|table| table.map(|table| Series::create(&records, &table)).transpose());
        Ok(Self { folder: folder.to_owned(), series: series.collect::<io::Result<_>>()?, air: None })
    }

    /// Writes captures of the air too.
    pub fn capture_air(&mut self, captures: AirCaptures) {
        self.air = Some(captures);
    }

    /// Writes what was captured, whose frames are still on their way, and empties it.
    ///
    /// # Errors
    /// An error of the file system.
    #[inline]
    pub fn write_captured(
        &mut self,
        captured: &mut AirCapture,
        sent: SentHeads<'_, impl MpduHeads>,
    ) -> io::Result<()> {
        match &mut self.air {
            Some(air) if !captured.ppdus().is_empty() => air.write(captured, sent),
            _ => Ok(()),
        }
    }

    /// Writes the records of an outbox and empties their lists.
    ///
    /// # Errors
    /// An error of the file system, usually a full disk.
    pub fn write_records(&mut self, outbox: &mut Outbox) -> io::Result<()> {
        outbox.take_records(|place, record| match &mut self.series[place] {
            Some(series) => series.add(|row| record.write(row)),
            None => Ok(()),
        })
    }

    /// Writes all records so far to their files.
    ///
    /// # Errors
    /// An error of the file system.
    pub fn flush(&mut self) -> io::Result<()> {
        self.series.iter_mut().flatten().try_for_each(Series::flush)
    }

    /// Closes the record files and writes the report.
    ///
    /// # Errors
    /// An error of the file system.
    pub fn close(&mut self, report: &AirReport) -> io::Result<()> {
        self.flush()?;
        if let Some(air) = &mut self.air {
            air.close()?;
        }
        write_report(&self.folder, AIR_REPORT, report)
    }
}
