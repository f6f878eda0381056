// What a run holds: base64 of gzip of JSON, opened when it is asked for.
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

// Differences from the value before, back to values; null stays null.
function fromDifferences(column, unit) {
  let value = 0;
  return column.map((difference) => (difference === null ? null : (value += difference) * unit));
}

function linesOf(panel, times) {
  return panel.lines.map((line) => [times[line.x], fromDifferences(line.y, 10 ** -line.decimals)]);
}
