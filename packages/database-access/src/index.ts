export type {
  Cell,
  Column,
  DatabaseAccess,
  FileTarget,
  QueryResult,
  Request,
  ServerTarget,
  SparePlace,
  Statement,
  TableColumns,
  Target,
  TlsRule,
} from './access.ts'
export { DatabaseFailure, type FailureCode, type FailureDetails, type FailureReason } from './failure.ts'
export { CUT_MARK, DATABASE_LIMITS } from './limits.ts'
export { type DatabaseDeps, openDatabases } from './open.ts'
