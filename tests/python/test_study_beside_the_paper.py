"""The tables of section 4.2 that stand beside the paper's own: table 4, and the verdicts on bufferbloat."""

import pytest
from airtcp.studies.aoyagi2023.bufferbloat import backhaul_mbps, bufferbloat_table
from airtcp.studies.aoyagi2023.claims import read_claims
from airtcp.studies.aoyagi2023.design import read_design
from airtcp.studies.aoyagi2023.report import notes, paper_tables
from airtcp.studies.aoyagi2023.table4 import stated_rtts_ms, table_4, table_4_note
from test_study import AS_THE_PAPER, made_up_cells


def row_of(table, cca, queue=None):
    return next(row for row in table.rows if row[0] == cca and queue in (None, row[1]))


def test_the_rtts_that_the_text_gives():
    stated = stated_rtts_ms(read_claims(read_design()))
    assert len(stated) == 11
    assert stated["scalable", 100] == 117.0
    assert stated["scalable", 20] == stated["reno", 20] == 20.0
    assert {stated[cca, queue] for cca in ("vegas", "bbr") for queue in (20, 100)} == {4.0, 15.0}


def test_our_ratio_to_the_papers_actual_network():
    cells = made_up_cells({**AS_THE_PAPER, "bbr": (15.0, 30.0)})
    table = table_4(read_design(), cells)
    assert len(table.rows) == 28
    # Table 4: BBR with 100 packets 0.666, so 15 ms emulated are 22.52 ms in the actual network.
    assert row_of(table, "BBR", "100")[2:] == ["30.0", "15", "0.666", "22.5", "1.332", "2.000"]
    # What equals the emulator has the table's own ratio.
    assert row_of(table, "Scalable", "100")[2:] == ["117.0", "117", "1.100", "106.4", "1.100", "1.000"]
    assert row_of(table, "NV", "100")[3:] == ["-", "2.682", "-", "-", "-"]


def test_the_note_counts_what_is_known():
    design = read_design()
    cells = made_up_cells({"vegas": (4.0, 4.0), "nv": (4.0, 5.0)})
    # Both ratios are the emulator's: sqrt(0.891 * 0.690).
    assert table_4_note(design, cells).count("0.784 (0.690 to 0.891)") == 2
    assert table_4_note(design, cells) in notes(design, cells)
    assert table_4_note(design, made_up_cells({"nv": (4.0, 5.0)})) == ""


def test_bufferbloat_by_its_definition():
    design = read_design()
    assert backhaul_mbps(design) == 10.0
    table = bufferbloat_table(design, made_up_cells(AS_THE_PAPER))
    # 117 ms over 1.3 ms and over 22 ms; log 5.318 over log 5.
    assert row_of(table, "Scalable")[1:] == ["1.30", "90.0", "5.32", "1.04", "bufferbloat", "bufferbloat"]
    assert row_of(table, "Vegas")[4:] == ["0.00", "no bufferbloat", "no bufferbloat"]
    assert row_of(table, "NV")[-1] == "both"
    differ = [row[0] for row in table.rows if row[-1] not in (row[-2], "both")]
    assert differ == []


@pytest.mark.parametrize(("mbps", "verdict"), [(8.9, "open: "), (9.1, "no bufferbloat")])
def test_a_link_that_is_not_full_leaves_the_verdict_open(mbps, verdict):
    table = bufferbloat_table(read_design(), made_up_cells({"vegas": (4.0, 4.0)}, mbps=mbps))
    assert row_of(table, "Vegas")[-2].startswith(verdict)


def test_one_queue_does_not_tell():
    design = read_design()
    cells = {key: cell for key, cell in made_up_cells({"reno": (20.0, 85.0)}).items() if key[1] == 20}
    assert row_of(bufferbloat_table(design, cells), "Reno")[-2].startswith("open: ")
    assert [len(table.rows) for table in paper_tables(design, cells)] == [1, 1]
    assert paper_tables(design, {}) == []
