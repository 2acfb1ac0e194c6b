/**
 * Why the server ends or refuses something, by the numbers of protocol 7. A client reads them by their hundreds: 4000 to
 * 4099 never again, 4100 to 4199 later, 4200 to 4299 at once.
 */
export const closeCodes = {
  tlsOnly: { code: 4000, message: 'This server accepts TLS connections only.' },
  appUnknown: { code: 4001, message: 'There is no application with this key.' },
  appDisabled: { code: 4003, message: 'The application is disabled.' },
  overQuota: { code: 4004, message: 'The application is at its connection limit.' },
  pathUnknown: { code: 4005, message: 'Unknown path.' },
  versionInvalid: { code: 4006, message: 'The protocol version is not an integer.' },
  versionUnsupported: { code: 4007, message: 'The server supports protocol version 7 only.' },
  versionMissing: { code: 4008, message: 'The protocol version is missing.' },
  unauthorized: { code: 4009, message: 'The connection is not authorized.' },
  terminated: { code: 4009, message: 'The application ended the connections of this user.' },
  revoked: { code: 4009, message: 'The access of this client was revoked.' },
  overCapacity: { code: 4100, message: 'The server is full.' },
  stopping: { code: 4100, message: 'The server is stopping. Connect again later.' },
  tooManyMessages: { code: 4100, message: 'The connection sent too many messages in one second.' },
  reconnect: { code: 4200, message: 'The server is stopping. Connect again.' },
  pongMissing: { code: 4201, message: 'No answer to a ping arrived in time.' },
  inactive: { code: 4202, message: 'The connection was inactive for too long.' },
} as const satisfies Record<string, { readonly code: number; readonly message: string }>

export type CloseReason = keyof typeof closeCodes

/** Sent on an open connection, which stays open. */
export const errorCodes = {
  clientEventRejected: 4301,
  watchlistTooLong: 4302,
} as const
