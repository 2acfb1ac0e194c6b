/**
 * The tables as both dialects hold them. Times are ISO 8601 texts, booleans 0 or 1, and a column marked Sealed holds
 * ciphertext bound to its row and column. A column of the contract holds its values alone: nothing else can be written.
 */
export type Bit = 0 | 1
export type Sealed = string
/** Text in the database: the store writes and parses it, so that a row holds the value. */
export type Json<T extends object> = T
