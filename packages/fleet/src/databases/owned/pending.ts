import type { Call } from '#/call.ts'

/** `pending_step` of a record whose list has not begun: nothing of it is on a server. */
export const RESERVED = 'record'

/** `pending_step` of a complete record whose database is being dropped, before the request that does it. */
const REMOVING = 'removal'

/** The mark of one request: whoever loses the record to another one does not take back the other's. */
export const removalMark = ({ requestId }: Pick<Call, 'requestId'>): string => `${REMOVING} ${requestId}`

/** Also of an earlier version, whose mark named no request. */
export const isRemoval = (pendingStep: string | null): boolean => pendingStep?.split(' ')[0] === REMOVING
