/** A file that came in a form, as the value of a field. */
export class Upload {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}
