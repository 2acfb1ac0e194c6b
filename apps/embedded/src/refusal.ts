/** The fleet cannot start as asked. The message is for the person who started it and says what to do. */
export class StartRefused extends Error {
  override readonly name: string = 'StartRefused'
}
