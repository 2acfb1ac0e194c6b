/** Product strings that the specification prints letter by letter. Everything else says `fleet`. */
export const LITERALS = {
  /** Folder below a checkout's Git directory that holds ownership receipts. */
  gitReceiptFolder: 'orbit',
  /** Before the id and name of a Process: its unit or container. */
  processUnit: 'orbit-process',
  /** Before the id of an Instance: its PHP pool, the socket of the pool. */
  phpPool: 'orbit-app-instance',
  requestIdHeader: 'x-fleet-request-id',
  clientHeader: 'x-fleet-client',
  clientVersionHeader: 'x-fleet-client-version',
  apiPrefix: '/api/v1',
} as const
