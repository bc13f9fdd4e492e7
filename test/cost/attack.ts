/** A request that is as expensive as its sender can make it. */
export interface Attack {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: Buffer | string
  /** Whether a known client sends it every day; then others wait for it even less. */
  readonly normal?: true
  /** Whether a member of the staff sends it, from a browser. Forms get the token of the session. */
  readonly staff?: true
}
