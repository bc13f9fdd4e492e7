/** Text with LF at the end of its lines. Browsers and `FormData` write CRLF, whatever they were given. */
export function withLf(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}
