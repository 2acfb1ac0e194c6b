import type { ErrorCode } from '@fleet/contract'

/** What to do about a refusal or a fault, by its code. `NODE`, `INSTANCE` and so on are replaced by what was typed for them, or by the record that the error names. */
export type NextSteps = Readonly<Partial<Record<ErrorCode, string>>>
