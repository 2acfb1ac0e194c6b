/**
 * Why the signal of a call aborts whose client has closed the connection. Any other reason is the process's own: it stops, or has lost
 * the work to another one.
 */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}
