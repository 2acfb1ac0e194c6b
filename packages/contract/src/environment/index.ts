import { envImport } from './import.ts'
import { envSync } from './sync.ts'
import { envUpdate } from './update.ts'

export * from './records.ts'
export const environmentOperations = { envImport, envUpdate, envSync }
