import type { ProcessStatus } from './records.ts'

export interface ProcessStatusRule {
  /** Its unit is installed, so it can be started and stopped. */
  readonly isInstalled: boolean
  readonly summary: string
}

/** What each status of a Process means (PROC-006). */
export const processStatusRules = {
  creating: { isInstalled: false, summary: 'It is being created.' },
  active: { isInstalled: true, summary: 'It is installed; `runtime_status` says whether it runs.' },
  failed: {
    isInstalled: false,
    summary:
      'A step failed; `failed_step` and `error_code` name it. The identical request resumes; where the Node refused its account or image before it ever ran, one with other values takes its place.',
  },
  removing: { isInstalled: false, summary: 'It is being removed.' },
} as const satisfies Record<ProcessStatus, ProcessStatusRule>
