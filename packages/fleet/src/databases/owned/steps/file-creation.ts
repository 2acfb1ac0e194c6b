import { type Step, stepList, type StepLog } from '@fleet/steps'
import type { SourceFile } from '#/databases/owned/file-copy.ts'
import { copyFile, dropFile } from '#/databases/owned/file-copy.ts'
import {
  type Completion,
  complete,
  logOf,
  type OwnedDeps,
  requireAttachable,
} from '#/databases/owned/steps/creation.ts'
import { deleteConnection } from '#/databases/queries.ts'
import type { InstanceRecord } from '#/instances/api.ts'

export interface FileCreation extends Completion {
  readonly deps: OwnedDeps
  readonly instance: InstanceRecord
  readonly copyOf: SourceFile
}

/** From the beginning each time: what an earlier attempt copied is replaced (INS-068). A copy that fails leaves no file and no record. */
const copy: Step<FileCreation> = {
  name: 'copy',
  commits: true,
  run: async (creation) => {
    await requireAttachable(creation)
    await copyFile(creation)
  },
  undo: async (creation) => {
    await dropFile(creation)
    await deleteConnection(creation.deps.store.db, creation.record.id)
  },
}

export const fileCreation = stepList<FileCreation>('owned-file-creation', [copy, complete])

export const fileCreationLog = (creation: FileCreation): StepLog => logOf(creation, ['copy', 'complete'])
