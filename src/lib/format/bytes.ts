/** Formats a size: "312 B", "4.2 kB", "18 MB". */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = '';
  // Rounded before it is compared, so that "1000 kB" never appears.
  while (Math.round(value) >= 1000 && units.length > 0) {
    value /= 1000;
    unit = units.shift() ?? unit;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
