import { connect } from 'node:tls'
import { X509Certificate } from 'node:crypto'
import type { ServedCertificates } from '@fleet/fleet'

const ANSWER_MILLISECONDS = 5000

/** A handshake with the socket itself. Whoever signed it is the question, so nothing is refused here. */
export const servedCertificates: ServedCertificates = {
  certificateAt: ({ address, port, name }) =>
    new Promise((resolve) => {
      const socket = connect({ host: address, port, servername: name, rejectUnauthorized: false })
      socket.setTimeout(ANSWER_MILLISECONDS, () => socket.destroy())
      socket.on('secureConnect', () => {
        const raw = socket.getPeerX509Certificate()?.raw
        resolve(raw && new X509Certificate(raw).toString())
        socket.destroy()
      })
      socket.on('error', () => socket.destroy())
      socket.on('close', () => resolve(undefined))
    }),
}
