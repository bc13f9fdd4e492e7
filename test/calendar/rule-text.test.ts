import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fromWall } from '../../src/calendar/civil.ts'
import { readRule } from '../../src/calendar/recurrence-rule.ts'
import { ruleText } from '../../src/calendar/rule-text.ts'
import fc from '../support/property.ts'
import { anyRule } from '../support/rules.ts'
import { times } from '../support/thorough.ts'

const LANGUAGES = ['en', 'de', 'fr', 'es'] as const

/** A Tuesday. */
const START = fromWall('2031-01-07 09:00:00')

/** A rule, and its sentences in English, German, French and Spanish. */
const SENTENCES: [string, string, string, string, string][] = [
  ['FREQ=DAILY', 'Every day', 'Jeden Tag', 'Chaque jour', 'Cada día'],
  [
    'FREQ=DAILY;INTERVAL=10;COUNT=5',
    'Every ten days, five times',
    'Alle zehn Tage, fünfmal',
    'Tous les dix jours, cinq fois',
    'Cada diez días, cinco veces',
  ],
  [
    'FREQ=DAILY;BYMONTH=1',
    'Every day in January',
    'Jeden Tag im Januar',
    'Chaque jour en janvier',
    'Cada día en enero',
  ],
  [
    'FREQ=DAILY;INTERVAL=3;BYDAY=MO,TU',
    'Every three days (only if it is a Monday or Tuesday)',
    'Alle drei Tage (nur wenn es ein Montag oder Dienstag ist)',
    'Tous les trois jours (seulement si c’est un lundi ou mardi)',
    'Cada tres días (solo si es lunes o martes)',
  ],
  [
    'FREQ=DAILY;BYMONTHDAY=1',
    'Every month on the 1st',
    'Jeden Monat am 1.',
    'Chaque mois le 1er',
    'Cada mes, el día 1',
  ],
  [
    'FREQ=DAILY;BYYEARDAY=1,-1',
    'Every day with: day of the year 1 or 1 from the end',
    'Jeden Tag mit: Tag des Jahres 1 oder 1 vom Ende an',
    'Chaque jour ayant : jour de l’année 1 ou 1 à partir de la fin',
    'Cada día con: día del año 1 o 1 contando desde el final',
  ],
  [
    'FREQ=DAILY;BYHOUR=9,12;BYMINUTE=0,30',
    'Every day, at 09:00, 09:30, 12:00 and 12:30',
    'Jeden Tag, um 09:00, 09:30, 12:00 und 12:30',
    'Chaque jour, à 09:00, 09:30, 12:00 et 12:30',
    'Cada día, a las 09:00, 09:30, 12:00 y 12:30',
  ],
  ['FREQ=WEEKLY', 'Every Tuesday', 'Jeden Dienstag', 'Chaque mardi', 'Cada martes'],
  [
    'FREQ=WEEKLY;BYDAY=TU;COUNT=10',
    'Every Tuesday, ten times',
    'Jeden Dienstag, zehnmal',
    'Chaque mardi, dix fois',
    'Cada martes, diez veces',
  ],
  [
    'FREQ=WEEKLY;BYDAY=TU,MO;BYMONTH=6,7;COUNT=1',
    'Every Monday and Tuesday in June and July, once',
    'Jeden Montag und Dienstag im Juni und Juli, einmal',
    'Chaque lundi et mardi en juin et juillet, une fois',
    'Cada lunes y martes en junio y julio, una vez',
  ],
  [
    'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;COUNT=14',
    'Every day from Monday to Friday, 14 times',
    'Jeden Tag von Montag bis Freitag, 14-mal',
    'Chaque jour du lundi au vendredi, 14 fois',
    'Cada día de lunes a viernes, 14 veces',
  ],
  [
    'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;COUNT=2',
    'Every day, twice',
    'Jeden Tag, zweimal',
    'Chaque jour, deux fois',
    'Cada día, dos veces',
  ],
  [
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;UNTIL=20310603',
    'Every two weeks on Monday and Thursday until 3 June 2031',
    'Alle zwei Wochen am Montag und Donnerstag bis zum 3. Juni 2031',
    'Toutes les deux semaines le lundi et le jeudi jusqu’au 3 juin 2031',
    'Cada dos semanas, el lunes y el jueves, hasta el 3 de junio de 2031',
  ],
  [
    'FREQ=WEEKLY;INTERVAL=2;UNTIL=20310601T080000',
    'Every two weeks on Tuesday until 31 May 2031',
    'Alle zwei Wochen am Dienstag bis zum 31. Mai 2031',
    'Toutes les deux semaines le mardi jusqu’au 31 mai 2031',
    'Cada dos semanas, el martes, hasta el 31 de mayo de 2031',
  ],
  [
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU',
    'Every two weeks on Tuesday and Sunday (weeks begin on Sunday)',
    'Alle zwei Wochen am Dienstag und Sonntag (Wochen beginnen am Sonntag)',
    'Toutes les deux semaines le mardi et le dimanche (semaines à partir du dimanche)',
    'Cada dos semanas, el martes y el domingo (semanas a partir del domingo)',
  ],
  [
    'FREQ=WEEKLY;BYDAY=MO,TU,SU;BYSETPOS=-1',
    'Every week on each day with: weekday Monday, Tuesday or Sunday; of these, in each week, number 1 from the end',
    'Jede Woche an jedem Tag mit: Wochentag Montag, Dienstag oder Sonntag; davon in jeder Woche Nummer 1 vom Ende an',
    'Chaque semaine, chaque jour ayant : jour de la semaine lundi, mardi ou dimanche ; parmi eux, dans chaque semaine, numéro 1 à partir de la fin',
    'Cada semana, cada día con: día de la semana lunes, martes o domingo; de ellos, en cada semana, número 1 contando desde el final',
  ],
  [
    'FREQ=MONTHLY;UNTIL=20320101',
    'Every month on the 7th until 1 January 2032',
    'Jeden Monat am 7. bis zum 1. Januar 2032',
    'Chaque mois le 7 jusqu’au 1er janvier 2032',
    'Cada mes, el día 7, hasta el 1 de enero de 2032',
  ],
  [
    'FREQ=MONTHLY;INTERVAL=18;BYMONTHDAY=10,-1,1',
    'Every 18 months on the 1st, 10th and last day',
    'Alle 18 Monate am 1., 10. und letzten Tag',
    'Tous les 18 mois le 1er, le 10 et le dernier jour',
    'Cada 18 meses, el día 1, el día 10 y el último día',
  ],
  [
    'FREQ=MONTHLY;BYMONTHDAY=-4,15',
    'Every month on the 15th day and 4th day from the end',
    'Jeden Monat am 15. Tag und 4. Tag vom Ende an',
    'Chaque mois le 15e jour et le 4e jour à partir de la fin',
    'Cada mes, el 15.º día y el 4.º día contando desde el final',
  ],
  [
    'FREQ=MONTHLY;BYMONTHDAY=-3;BYMONTH=2',
    'Every month on the third-to-last day in February',
    'Jeden Monat am drittletzten Tag im Februar',
    'Chaque mois l’antépénultième jour en février',
    'Cada mes, el antepenúltimo día en febrero',
  ],
  [
    'FREQ=MONTHLY;INTERVAL=2;BYMONTH=6,7',
    'Every two months on the 7th, only in June and July',
    'Alle zwei Monate am 7., nur im Juni und Juli',
    'Tous les deux mois le 7, seulement en juin et juillet',
    'Cada dos meses, el día 7, solo en junio y julio',
  ],
  [
    'FREQ=MONTHLY;BYDAY=2FR',
    'Every second Friday of the month',
    'Jeden zweiten Freitag im Monat',
    'Le deuxième vendredi de chaque mois',
    'El segundo viernes de cada mes',
  ],
  [
    'FREQ=MONTHLY;BYDAY=1TU,3TU,-1TU',
    'Every first, third and last Tuesday of the month',
    'Jeden ersten, dritten und letzten Dienstag im Monat',
    'Le premier, le troisième et le dernier mardi de chaque mois',
    'El primer, el tercer y el último martes de cada mes',
  ],
  [
    'FREQ=MONTHLY;INTERVAL=2;BYDAY=1SU,-2MO',
    'Every two months on the first Sunday and second-to-last Monday',
    'Alle zwei Monate am ersten Sonntag und vorletzten Montag',
    'Tous les deux mois le premier dimanche et l’avant-dernier lundi',
    'Cada dos meses, el primer domingo y el penúltimo lunes',
  ],
  [
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
    'Every last working day (Monday to Friday) of the month',
    'Jeden letzten Arbeitstag (Montag bis Freitag) im Monat',
    'Le dernier jour ouvré (du lundi au vendredi) de chaque mois',
    'El último día laborable (de lunes a viernes) de cada mes',
  ],
  [
    'FREQ=MONTHLY;BYDAY=SA,SU;BYSETPOS=1',
    'Every first day of a weekend of the month',
    'Jeden ersten Tag eines Wochenendes im Monat',
    'Le premier jour de week-end de chaque mois',
    'El primer día de fin de semana de cada mes',
  ],
  [
    'FREQ=MONTHLY;BYDAY=TU,WE,TH;BYSETPOS=1',
    'Every first Tuesday, Wednesday or Thursday of the month',
    'Jeden ersten Dienstag, Mittwoch oder Donnerstag im Monat',
    'Le premier mardi, mercredi ou jeudi de chaque mois',
    'El primer martes, miércoles o jueves de cada mes',
  ],
  [
    'FREQ=MONTHLY;BYDAY=TU,WE,TH;BYSETPOS=3',
    'Every month on each day with: weekday Tuesday, Wednesday or Thursday; of these, in each month, number 3',
    'Jeden Monat an jedem Tag mit: Wochentag Dienstag, Mittwoch oder Donnerstag; davon in jedem Monat Nummer 3',
    'Chaque mois, chaque jour ayant : jour de la semaine mardi, mercredi ou jeudi ; parmi eux, dans chaque mois, numéro 3',
    'Cada mes, cada día con: día de la semana martes, miércoles o jueves; de ellos, en cada mes, número 3',
  ],
  [
    'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13',
    'Every month on the 13th (only if it is a Friday)',
    'Jeden Monat am 13. (nur wenn es ein Freitag ist)',
    'Chaque mois le 13 (seulement si c’est un vendredi)',
    'Cada mes, el día 13 (solo si es viernes)',
  ],
  ['FREQ=MONTHLY;BYDAY=MO', 'Every Monday', 'Jeden Montag', 'Chaque lundi', 'Cada lunes'],
  [
    'FREQ=YEARLY',
    'Every year on 7 January',
    'Jedes Jahr am 7. Januar',
    'Chaque année le 7 janvier',
    'Cada año, el 7 de enero',
  ],
  [
    'FREQ=YEARLY;BYMONTH=6,7',
    'Every year on 7 June and 7 July',
    'Jedes Jahr am 7. Juni und 7. Juli',
    'Chaque année le 7 juin et le 7 juillet',
    'Cada año, el 7 de junio y el 7 de julio',
  ],
  [
    'FREQ=YEARLY;BYMONTH=4;BYDAY=-1SU',
    'Every year on the last Sunday of April',
    'Jedes Jahr am letzten Sonntag im April',
    'Chaque année le dernier dimanche d’avril',
    'Cada año, el último domingo de abril',
  ],
  [
    'FREQ=YEARLY;BYMONTH=3,10;BYDAY=-1SU',
    'Every year in March and October on the last Sunday of the month',
    'Jedes Jahr im März und Oktober am letzten Sonntag des Monats',
    'Chaque année en mars et octobre le dernier dimanche du mois',
    'Cada año en marzo y octubre, el último domingo del mes',
  ],
  [
    'FREQ=YEARLY;BYMONTH=3;BYDAY=TH',
    'Every Thursday in March',
    'Jeden Donnerstag im März',
    'Chaque jeudi en mars',
    'Cada jueves en marzo',
  ],
  [
    'FREQ=YEARLY;INTERVAL=2;BYMONTH=1;BYDAY=SU;BYHOUR=8,9;BYMINUTE=30',
    'Every two years on each day with: month January; weekday Sunday; hour 8 or 9; minute 30',
    'Alle zwei Jahre an jedem Tag mit: Monat Januar; Wochentag Sonntag; Stunde 8 oder 9; Minute 30',
    'Tous les deux ans, chaque jour ayant : mois janvier ; jour de la semaine dimanche ; heure 8 ou 9 ; minute 30',
    'Cada dos años, cada día con: mes enero; día de la semana domingo; hora 8 o 9; minuto 30',
  ],
  [
    'FREQ=YEARLY;INTERVAL=3;BYYEARDAY=1,100,200',
    'Every three years on the first, 100th and 200th day of the year',
    'Alle drei Jahre am ersten, 100. und 200. Tag des Jahres',
    'Tous les trois ans le premier, le 100e et le 200e jour de l’année',
    'Cada tres años, el primer, el 100.º y el 200.º día del año',
  ],
  [
    'FREQ=YEARLY;BYDAY=20MO',
    'Every year on the 20th Monday of the year',
    'Jedes Jahr am 20. Montag des Jahres',
    'Chaque année le 20e lundi de l’année',
    'Cada año, el 20.º lunes del año',
  ],
  [
    'FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO',
    'Every year in week 20 on Monday',
    'Jedes Jahr in Kalenderwoche 20 am Montag',
    'Chaque année en semaine 20 le lundi',
    'Cada año en la semana 20, el lunes',
  ],
  [
    'FREQ=YEARLY;BYWEEKNO=1,52',
    'Every year in weeks 1 and 52 on Tuesday',
    'Jedes Jahr in den Kalenderwochen 1 und 52 am Dienstag',
    'Chaque année en semaines 1 et 52 le mardi',
    'Cada año en las semanas 1 y 52, el martes',
  ],
  [
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1',
    'Every year on the last day of February',
    'Jedes Jahr am letzten Tag im Februar',
    'Chaque année le dernier jour de février',
    'Cada año, el último día de febrero',
  ],
  [
    'FREQ=YEARLY;BYMONTH=11;BYDAY=TH;BYSETPOS=4',
    'Every year on the fourth Thursday of November',
    'Jedes Jahr am vierten Donnerstag im November',
    'Chaque année le quatrième jeudi de novembre',
    'Cada año, el cuarto jueves de noviembre',
  ],
  [
    'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3',
    'Every four years on 2 November and 3 November (only if it is a Tuesday)',
    'Alle vier Jahre am 2. November und 3. November (nur wenn es ein Dienstag ist)',
    'Tous les quatre ans le 2 novembre et le 3 novembre (seulement si c’est un mardi)',
    'Cada cuatro años, el 2 de noviembre y el 3 de noviembre (solo si es martes)',
  ],
]

describe('the text of a recurrence', () => {
  for (const [rule, ...sentences] of SENTENCES)
    it(`says ${rule} in four languages`, () => {
      assert.deepEqual(
        LANGUAGES.map((language) => ruleText({ rule: readRule(rule, 'UTC'), start: START, dates: 0 }, language)),
        sentences,
      )
    })

  it('counts dates that no rule gives', () => {
    const rule = readRule('FREQ=WEEKLY;COUNT=10', 'UTC')
    const say = (dates: number, language: string, given: typeof rule | null) =>
      ruleText({ rule: given, start: START, dates }, language)
    assert.deepEqual(
      LANGUAGES.map((language) => say(2, language, null)),
      ['On three dates', 'An drei Terminen', 'À trois dates', 'En tres fechas'],
    )
    assert.equal(say(29, 'en', null), 'On 30 dates')
    assert.deepEqual(
      LANGUAGES.map((language) => say(1, language, rule)),
      [
        'Every Tuesday, ten times, and on one more date',
        'Jeden Dienstag, zehnmal, dazu an einem weiteren Termin',
        'Chaque mardi, dix fois, et à une autre date',
        'Cada martes, diez veces, y en una fecha más',
      ],
    )
    assert.equal(say(1500, 'de', rule), 'Jeden Dienstag, zehnmal, dazu an 1.500 weiteren Terminen')
  })

  it('is in English where a language has no texts', () => {
    assert.equal(ruleText({ rule: readRule('FREQ=DAILY', 'UTC'), start: START, dates: 0 }, 'ja'), 'Every day')
  })

  it('is a whole sentence for every rule', () => {
    fc.assert(
      fc.property(anyRule, fc.constantFrom(...LANGUAGES), (rule, language) => {
        const sentence = ruleText({ rule: readRule(rule, 'UTC'), start: START, dates: 0 }, language)
        assert.match(sentence, /^\p{Lu}/u, rule)
        assert.doesNotMatch(sentence, /[{}]|recurrence\.|undefined|NaN| {2}/, rule)
      }),
      { numRuns: times(2000, 500) },
    )
  })

  it('differs for rules that differ in one number', () => {
    fc.assert(
      fc.property(anyRule, fc.constantFrom(...LANGUAGES), fc.nat(), (rule, language, which) => {
        const numbers = [...rule.matchAll(/(?<==|,)(\d+)(?=,|;|$)/g)]
        const found = numbers[which % Math.max(1, numbers.length)]
        if (found === undefined) return
        const n = Number(found[1])
        const other = `${rule.slice(0, found.index)}${n > 1 ? n - 1 : 2}${rule.slice(found.index + String(n).length)}`
        const say = (one: string) => {
          const read = readRule(one, 'UTC')
          return { read, text: ruleText({ rule: read, start: START, dates: 0 }, language) }
        }
        const [one, two] = [say(rule), say(other)]
        try {
          assert.deepEqual(one.read, two.read)
        } catch {
          assert.notEqual(one.text, two.text, `${rule} and ${other}`)
        }
      }),
      { numRuns: times(2000, 500) },
    )
  })
})
