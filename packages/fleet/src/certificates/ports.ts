/** A TLS socket and the name that it is asked for. */
export interface ServedPlace {
  readonly address: string
  readonly port: number
  readonly name: string
}

/** Embedded Nodes, whose files belong to the process of the gateway itself: no command runs for a certificate there. */
export interface LocalCertificates {
  /** Folder of the certificates of the Node at this loopback address; undefined for any other Node. */
  certificatesOf(address: string): string | undefined
  /** Whatever reads them reads them again. */
  reload(address: string): Promise<void>
}

/** Asks a socket for its certificate: sockets belong to apps. */
export interface ServedCertificates {
  /** PEM of the leaf, whoever signed it; undefined when the socket does not answer in time. */
  certificateAt(place: ServedPlace): Promise<string | undefined>
}
