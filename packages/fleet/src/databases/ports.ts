import type { Duplex } from 'node:stream'
import type { DatabaseAccess } from '@fleet/database-access'

/** A port as the machine that connects sees it. */
export interface Address {
  readonly host: string
  readonly port: number
}

/** What keeps connections ready for the next statements, and closes those of a record that has changed or is gone. */
export interface DropsSpares {
  readonly access: Pick<DatabaseAccess, 'drop'>
}

/** What the domain needs from the process: the engines, and sockets of this machine. */
export interface DatabaseEngines {
  readonly access: DatabaseAccess
  /** A connected socket of the gateway's own network; rejects when the address does not answer. */
  dial(address: Address, signal: AbortSignal): Promise<Duplex>
}
