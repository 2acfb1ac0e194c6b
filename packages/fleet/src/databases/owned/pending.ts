/** `pending_step` of a record whose list has not begun: nothing of it is on a server. */
export const RESERVED = 'record'

/** `pending_step` of a complete record whose database is being dropped. */
export const REMOVING = 'removal'
