//! Writes what the air recorded into the run's working folder.

use std::io;
use std::path::{Path, PathBuf};

use airtcp_air::{AirCapture, LinkSample, NicSample, Outbox, PpduRecord};
use airtcp_plan::record::Table;
use airtcp_plan::report::{AIR_REPORT, AirReport, RECORDS_FOLDER};

use crate::capture::air_capture::AirCaptures;
use crate::capture::radio_mpdu::MpduHeads;
use crate::frames::Frames;
use crate::output::write_report;
use crate::series::Series;

/// The air's records and its report.
pub struct Recorder {
    folder: PathBuf,
    ppdus: Option<Series>,
    samples: Option<Series>,
    links: Option<Series>,
    air: Option<AirCaptures>,
}

impl Recorder {
    /// Opens the record files that the plan asks for.
    ///
    /// # Errors
    /// What the file system says.
    pub fn create(folder: &Path, ppdus: bool, samples: bool) -> io::Result<Self> {
        let records = folder.join(RECORDS_FOLDER);
        std::fs::create_dir_all(&records)?;
        let open = |wanted: bool, table: Table| wanted.then(|| Series::create(&records, &table)).transpose();
        Ok(Self {
            folder: folder.to_owned(),
            air: None,
            ppdus: open(ppdus, PpduRecord::table())?,
            samples: open(samples, NicSample::table())?,
            links: open(samples, LinkSample::table())?,
        })
    }

    /// Writes captures of the air too.
    pub fn capture_air(&mut self, captures: AirCaptures) {
        self.air = Some(captures);
    }

    /// Writes what was captured, whose frames are still on their way, and empties it.
    ///
    /// # Errors
    /// What the file system says.
    #[inline]
    pub fn take_air(
        &mut self,
        captured: &mut AirCapture,
        sent: (&Frames, &impl MpduHeads),
    ) -> io::Result<()> {
        match &mut self.air {
            Some(air) if !captured.ppdus().is_empty() => air.take(captured, sent),
            _ => Ok(()),
        }
    }

    /// Writes the records of an outbox and empties their lists.
    ///
    /// # Errors
    /// What the file system says, a full disk above all.
    pub fn take(&mut self, outbox: &mut Outbox) -> io::Result<()> {
        if let Some(series) = &mut self.ppdus {
            for record in &outbox.ppdus {
                series.add(|row| record.write(row))?;
            }
        }
        if let Some(series) = &mut self.samples {
            for sample in &outbox.samples {
                series.add(|row| sample.write(row))?;
            }
        }
        if let Some(series) = &mut self.links {
            for link in &outbox.links {
                series.add(|row| link.write(row))?;
            }
        }
        outbox.ppdus.clear();
        outbox.samples.clear();
        outbox.links.clear();
        Ok(())
    }

    /// Closes the record files and writes the report.
    ///
    /// # Errors
    /// What the file system says.
    pub fn close(&mut self, report: &AirReport) -> io::Result<()> {
        for series in [&mut self.ppdus, &mut self.samples, &mut self.links].into_iter().flatten() {
            series.flush()?;
        }
        if let Some(air) = &mut self.air {
            air.close()?;
        }
        write_report(&self.folder, AIR_REPORT, report)
    }
}
