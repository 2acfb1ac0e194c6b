import { connect, type Socket } from 'node:net'

/**
 * A socket of this machine, once it is connected. Rejects with the reason of the signal when that comes first; the socket
 * is then destroyed.
 */
export const dial = (
  { host, port }: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const socket = connect({ host, port, noDelay: true })
    const stop = (): void => {
      socket.destroy()
      reject(signal.reason as Error) // Aborted with errors only.
    }
    signal.addEventListener('abort', stop, { once: true })
    // An error after the connection belongs to whoever uses the socket; without a listener it would end the process.
    socket.on('error', (error) => {
      signal.removeEventListener('abort', stop)
      reject(error)
    })
    socket.once('connect', () => {
      signal.removeEventListener('abort', stop)
      resolve(socket)
    })
  })
