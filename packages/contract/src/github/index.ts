import { githubAppConfirm } from './app-confirm.ts'
import { githubAppDestroy } from './app-destroy.ts'
import { githubAppInstall } from './app-install.ts'
import { githubAppRegister } from './app-register.ts'
import { githubAppShow } from './app-show.ts'

export * from './records.ts'

export const githubOperations = {
  githubAppInstall,
  githubAppShow,
  githubAppDestroy,
  githubAppRegister,
  githubAppConfirm,
}
