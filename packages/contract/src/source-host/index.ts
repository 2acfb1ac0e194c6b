import * as gitHosts from './git-hosts.ts'

export * from './login-errors.ts'
export * from './records.ts'

export const sourceHostOperations = { ...gitHosts }
