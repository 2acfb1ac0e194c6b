export { makeDatabases, type DatabasesDomain, type DatabasesParts } from './make.ts'
