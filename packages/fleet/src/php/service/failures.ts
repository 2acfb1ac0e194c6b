import type { FailureReason } from '#/managed-services/api.ts'

/** Where a publication failed, for `details.stage`. */
export const STAGES: Readonly<Partial<Record<FailureReason, string>>> = {
  busy: 'lock',
  lock_unsafe: 'lock',
  check_failed: 'test',
  write_failed: 'write',
  switch_failed: 'write',
  start_failed: 'reload',
  not_ready: 'reload',
  not_confirmed: 'reload',
}

/** What a failure means, for `details.message`. */
export const SAID: Readonly<Record<FailureReason, string>> = {
  account_failed: 'An account could not be created on the Node.',
  busy: 'Another publication holds the PHP pools of the Node.',
  folder_unsafe: 'Accounts other than root may change a folder of the pools.',
  lock_unsafe: 'Accounts other than root may change the lock of the pools.',
  not_admitted: 'The file is not one of Fleet.',
  check_failed: 'PHP refused the pools before they were used.',
  write_failed: 'The pools could not be written on the Node.',
  prepare_failed: 'The Node could not be prepared for the pools.',
  switch_failed: 'The pools could not be put in place. The previous ones are still in use.',
  start_failed: 'PHP rejected the pools. The previous ones are still in use.',
  not_ready: 'A pool did not start. The previous ones are still in use.',
  not_confirmed: 'The Node does not have what was written.',
  stop_failed: 'PHP could not be stopped.',
  script_failed: 'The publication ended on the Node before its time.',
}
