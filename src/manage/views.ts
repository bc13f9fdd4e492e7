import type { View } from '../http/endpoint.ts'
import { accountScreen } from './account/account.ts'
import { auditScreens } from './audit/log.ts'
import { versionScreens } from './audit/versions.ts'
import { eventEditor, newEvent } from './events/editor.ts'
import { repeatPreview } from './events/repeat-preview.ts'
import { suggestedPicture } from './events/suggestion.ts'
import { eventTable } from './events/table.ts'
import { imageScreen } from './images/image.ts'
import { imageLibrary, newImage } from './images/library.ts'
import { importList, importRun } from './imports/screens.ts'
import { jobScreen } from './jobs.ts'
import { overview } from './overview.ts'
import { recordScreens } from './records/screens.ts'
import { type Screen, screenView } from './screen.ts'
import { settingsScreen } from './settings/settings.ts'
import { setupScreen } from './settings/setup.ts'
import { signInViews } from './sign-in.ts'
import { suggestViews } from './suggest.ts'
import { invitationView } from './users/accept.ts'
import { userInvite } from './users/invite.ts'
import { userList } from './users/list.ts'
import { userScreen } from './users/user.ts'

const screens: readonly Screen[] = [
  overview,
  eventTable,
  newEvent,
  repeatPreview,
  eventEditor,
  suggestedPicture,
  importList,
  { ...importList, path: '/imports/new' },
  importRun,
  ...recordScreens,
  imageLibrary,
  newImage,
  imageScreen,
  { ...userList, ...(userInvite.actions && { actions: userInvite.actions }) },
  userInvite,
  userScreen,
  accountScreen,
  jobScreen,
  ...auditScreens,
  ...versionScreens,
  settingsScreen,
  setupScreen,
]

/** Routes of the screens for staff. */
export const manageViews: readonly View[] = [
  ...signInViews,
  ...suggestViews,
  invitationView,
  ...screens.map(screenView),
]
