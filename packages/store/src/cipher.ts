import type { Secret } from '@fleet/kernel'

/** Where a sealed value lives. A ciphertext moved to another place does not open. */
export interface Place {
  readonly table: string
  readonly column: string
  /** Primary key of the row, in a fixed text form such as `7` or `7/APP_KEY`. */
  readonly row: string
}

/** AES-256-GCM under the application key, bound to the place. */
export interface Cipher {
  seal(place: Place, value: Secret): string
  /** Throws SealBroken when the text was made for another place, with another key, or was altered. */
  open(place: Place, sealed: string): Secret
}
