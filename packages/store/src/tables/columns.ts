/** As both dialects have it. */
export type Bit = 0 | 1
/** Ciphertext, bound to its row and column. */
export type Sealed = string
/** Text in the database: the store writes and parses it, so that a row holds the value. */
export type Json<T extends object> = T
