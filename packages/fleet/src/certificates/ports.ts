/** A TLS socket and the name that it is asked for. */
export interface ServedPlace {
  readonly address: string
  readonly port: number
  readonly name: string
}

/** Asks a socket for its certificate: sockets belong to apps. */
export interface ServedCertificates {
  /** PEM of the leaf, whoever signed it; undefined when the socket does not answer in time. */
  certificateAt(place: ServedPlace): Promise<string | undefined>
}
