export { makeDatabases, type DatabasesDomain, type DatabasesDeps } from './make.ts'
export type { Address, DatabaseEngines } from './ports.ts'
