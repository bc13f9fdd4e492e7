/** An uploaded file, as the value of a form field. */
export class Upload {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}
