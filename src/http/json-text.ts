/** JSON that is written already, as the body of an answer. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
