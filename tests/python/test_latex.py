"""Tables as LaTeX: the text of the screen, and nothing that TeX takes for a command."""

import re

from airtcp.report.latex import latex_tables, latex_text
from airtcp.report.table import Table
from airtcp.studies.report import ReportRequest, StudyReport
from support.small_study import made_up, small_study

COMMANDS = {
    "begin", "end", "centering", "caption", "label", "toprule", "midrule", "bottomrule", "input", "usepackage",
    "pm", "geq", "leq", "times", "mu", "textbackslash", "textasciitilde", "textasciicircum", "textless",
    "textgreater", "textbar",
}  # fmt: skip


def check_tex(text):
    """What pdflatex would stumble over: unbalanced braces and environments, bare characters, ragged rows."""
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    assert body.isascii()
    assert set(re.findall(r"\\([a-zA-Z]+)", body)) <= COMMANDS
    plain = re.sub(r"\\[&%$#_{}]", "", body)
    assert plain.count("{") == plain.count("}")
    assert not re.search(r"[%#_^~<>|]", plain)
    assert plain.count("$") % 2 == 0
    assert re.findall(r"\\begin{(\w+)}", body) == ["table", "tabular"] * body.count(r"\begin{table}")
    for columns, inner in re.findall(r"\\begin{tabular}{(\w+)}\n(.*?)\\end{tabular}", body, re.DOTALL):
        rows = [line for line in inner.splitlines() if line.endswith(r"\\")]
        assert rows
        assert {len(re.findall(r"(?<!\\)&", row)) + 1 for row in rows} == {len(columns)}


def test_characters_of_tex_are_escaped():
    assert latex_text("50% of a_b & c#1 {x} ~y^2 $5 \\z") == (
        r"50\% of a\_b \& c\#1 \{x\} \textasciitilde{}y\textasciicircum{}2 \$5 \textbackslash{}z"
    )
    assert latex_text("> 512.00 ± 3 ≥ 2") == r"\textgreater{} 512.00 $\pm$ 3 $\geq$ 2"


def test_a_table_has_its_title_units_and_rows():
    table = Table("RTT & rate_1", ("queue", "RTT [ms]", "in control"), left=("in control",))
    table.add("fq_codel", "11.36", "yes")
    table.add("[odd]", "-", "no: 5%")
    text = latex_tables([table, table], "my_queues")
    check_tex(text)
    assert r"\begin{tabular}{lrl}" in text
    assert r"queue & RTT [ms] & in control \\" in text
    assert "fq\\_codel & 11.36 & yes \\\\\n{}[odd] & -- & no: 5\\% \\\\\n\\bottomrule" in text
    # A paper has the tables of several campaigns.
    assert re.findall(r"\\label{(.*)}", text) == ["tab:my-queues-1", "tab:my-queues-2"]
    assert r"\usepackage{booktabs}" in text.splitlines()[0]


def test_the_report_of_a_study_has_its_tables_as_latex(tmp_path):
    more = '\n[[table]]\nid = "t"\npart = "main"\ntitle = "50 % & more_or_less"\nrows = ["cca", "queue"]\nmetrics = ["rtt"]\n'
    results = made_up(small_study(tmp_path / "small", more).only_parts(("main",)), lambda *_: 1.0, (1, 2))
    StudyReport(results, ReportRequest("airtcp", (1, 2), False, page_runs_most=0)).write(tmp_path / "out", 1)
    text = (tmp_path / "out" / "results.tex").read_text()
    check_tex(text)
    assert r"\caption{50 \% \& more\_or\_less}" in text
    assert r"cca" not in text.split(r"\toprule")[0]
    assert r"RTT (ping) [ms] & $\pm$ & in control \\" in text
    assert "Reno & 20 packets & 1.00 & 0.00 & yes" in text
