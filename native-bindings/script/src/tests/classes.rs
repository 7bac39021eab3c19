//! The smaller classes of the library, with answers of Java.

use super::{check, run};

#[test]
fn hashes_are_those_of_java() {
    check(&[
        ("[1, 2, 3].hashCode()", "30817"),
        ("['a': 1, 'b': 2].hashCode()", "192"),
        ("['a', null].hashCode()", "3968"),
        ("def s = new HashSet(); s.add('x'); s.add(2L); s.hashCode()", "122"),
        ("[[1.5], [true: 'no']].hashCode()", "-1089990512"),
        ("Arrays.asList(1, 2).hashCode() == Objects.hash(1, 2)", "true"),
        ("[:].hashCode() + [].hashCode()", "1"),
        ("Optional.of('a').hashCode()", "97"),
        ("def m = ['k': 5]; def e = m.entrySet().iterator().next(); e.hashCode()", "110"),
    ]);
    assert!(run("def l = []; l.add(l); l.hashCode()").contains("nested too deeply"));
}

#[test]
fn uuids() {
    check(&[
        (
            "UUID.fromString('123e4567-e89b-12d3-a456-426614174000').toString()",
            "\"123e4567-e89b-12d3-a456-426614174000\"",
        ),
        ("UUID.fromString('1-2-3-4-5').toString()", "\"00000001-0002-0003-0004-000000000005\""),
        ("UUID.fromString('123e4567-e89b-12d3-a456-426614174000').version()", "1"),
        ("UUID u = new UUID(1L, -1L); u.getLeastSignificantBits() + u.variant()", "6"),
        ("UUID.nameUUIDFromBytes('hello'.getBytes()).toString()", "\"5d41402a-bc4b-3a76-b971-9d911017c592\""),
        ("new UUID(1L, 2L).equals(UUID.fromString('0-0-1-0-2'))", "true"),
        ("new UUID(1L, 2L).compareTo(new UUID(-1L, 2L))", "1"),
        ("new UUID(5L, 7L).hashCode()", "2"),
    ]);
    assert!(run("UUID.fromString('nonsense')").contains("Invalid UUID string: nonsense"));
    assert!(run("new UUID(0L, 0L).timestamp()").contains("Not a time-based UUID"));
}

#[test]
fn base_64() {
    check(&[
        ("Base64.getEncoder().encodeToString('a>b?c'.getBytes())", "\"YT5iP2M=\""),
        ("Base64.getUrlEncoder().withoutPadding().encodeToString('??>>'.getBytes())", "\"Pz8-Pg\""),
        ("String.valueOf((char)Base64.getDecoder().decode('eg==')[0])", "\"z\""),
        ("Base64.getDecoder().decode('eno').length", "2"),
        ("Base64.getMimeDecoder().decode('e\tn-o=').length", "2"),
        ("Base64.getMimeEncoder().encodeToString(new byte[60]).length()", "82"),
    ]);
    assert!(run("Base64.getDecoder().decode('e=')").contains("Illegal base64 text"));
}

#[test]
fn tokens() {
    check(&[
        ("def t = new StringTokenizer('a b\tc'); t.countTokens() + t.nextToken() + t.nextToken()", "\"3ab\""),
        (
            "StringTokenizer t = new StringTokenizer('a=1;b', '=;', true); def l = []; while (t.hasMoreTokens()) { l.add(t.nextToken()) } l",
            "[\"a\",\"=\",\"1\",\";\",\"b\"]",
        ),
        ("def t = new StringTokenizer('a,b;c', ','); t.nextToken(); t.nextToken(';')", "\",b\""),
        ("def t = new StringTokenizer('a;b', ','); t.nextToken(';'); t.nextToken() + t.hasMoreTokens()", "\"bfalse\""),
        ("new StringTokenizer('é,ü,' + 'x'.repeat(40) + ',', ','.repeat(5000)).countTokens()", "3"),
    ]);
    assert!(run("new StringTokenizer('').nextToken()").contains("no_such_element_exception"));
    let with_delimiters = |count: u32| {
        run(&format!(
            "def b = new StringBuilder(); for (int i = 0; i < {count}; i++) {{ b.append((char) (i + 256)) }} \
             return new StringTokenizer('aāb', b.toString()).countTokens()"
        ))
    };
    assert_eq!(with_delimiters(1024), "2");
    assert!(with_delimiters(1025).contains("at most [1024] different delimiters"));
}

#[test]
fn sets_of_bits() {
    check(&[
        ("BitSet b = new BitSet(); b.set(1); b.set(64, 67); b.toString()", "\"{1, 64, 65, 66}\""),
        (
            "def b = new BitSet(); b.set(3, 8); b.flip(5); b.clear(7); b.cardinality() + ':' + b.length() + ':' + b.nextClearBit(3) + ':' + b.previousSetBit(100)",
            "\"3:7:5:6\"",
        ),
        (
            "def a = BitSet.valueOf(new long[] {6L}); def b = BitSet.valueOf(new long[] {3L, 1L}); a.xor(b); a.toLongArray()",
            "[5,1]",
        ),
        ("def b = new BitSet(); b.set(0); b.set(9); b.toByteArray()", "[1,2]"),
        ("def b = new BitSet(); def c = new BitSet(); c.set(120000000); '' + b + [c, b]", "\"{}[{120000000}, {}]\""),
        ("def b = new BitSet(200); b.size() + b.hashCode()", "1490"),
        ("def b = new BitSet(); b.set(70); b.set(2); b.hashCode()", "1110"),
        ("def b = new BitSet(); b.nextSetBit(0) + b.previousSetBit(-1)", "-2"),
        ("def a = new BitSet(); a.set(1, 3); def b = a.clone(); b.clear(); a.equals(b) || b.intersects(a)", "false"),
    ]);
    assert!(run("new BitSet().set(-1)").contains("bitIndex < 0: -1"));
    assert!(run("new BitSet().set(0, 2147483647)").contains("circuit_breaking_exception"));
    let long = run("def b = new BitSet(); b.set(0, 120000000); '' + b");
    assert!(long.contains("the text of a value is longer than [1048576] bytes"), "{long}");
}

#[test]
fn queues_by_priority() {
    check(&[
        ("def q = new PriorityQueue(); for (def x : [5, 1, 4, 2, 3]) { q.add(x) } q.toString()", "\"[1, 2, 4, 5, 3]\""),
        (
            "PriorityQueue q = new PriorityQueue((a, b) -> b - a); q.addAll([5, 1, 9]); q.remove(5); def l = []; while (!q.isEmpty()) { l.add(q.poll()) } l",
            "[9,1]",
        ),
        ("Queue q = new PriorityQueue(); q.poll() == null && q.peek() == null", "true"),
        (
            "def q = new PriorityQueue(Comparator.reverseOrder()); q.addAll(['a', 'c', 'b']); int n = 0; for (def x : q) { n++ } q.peek() + n + q.contains('b')",
            "\"c3true\"",
        ),
    ]);
    assert!(run("def q = new PriorityQueue(); q.add('a'); q.add(1)").contains("class_cast_exception"));
    assert!(run("new PriorityQueue().element()").contains("no_such_element_exception"));
}

#[test]
fn locales() {
    check(&[
        ("Locale.GERMANY.toString() + Locale.ROOT.toString() + Locale.US.toLanguageTag()", "\"de_DEen-US\""),
        ("Locale.forLanguageTag('zh-Hant-TW').getCountry() + new Locale('FR').getLanguage()", "\"TWfr\""),
        ("new Locale('DE', 'at', 'x').toLanguageTag() + new Locale('').toLanguageTag()", "\"de-AT-xund\""),
        ("String.format(Locale.ROOT, '%d', 5) + 'AB'.toLowerCase(Locale.ROOT)", "\"5ab\""),
        ("DayOfWeek.MONDAY.getDisplayName(TextStyle.SHORT, Locale.ROOT)", "\"Mon\""),
    ]);
    assert!(run("Locale.NOWHERE").contains("not found"));
}

#[test]
fn adjusters_of_dates() {
    let day = |adjuster: &str| run(&format!("LocalDate.of(2024, 2, 14).with({adjuster}).toString()"));
    for (adjuster, expected) in [
        ("TemporalAdjusters.firstDayOfMonth()", "2024-02-01"),
        ("TemporalAdjusters.lastDayOfMonth()", "2024-02-29"),
        ("TemporalAdjusters.firstDayOfNextMonth()", "2024-03-01"),
        ("TemporalAdjusters.lastDayOfYear()", "2024-12-31"),
        ("TemporalAdjusters.firstDayOfNextYear()", "2025-01-01"),
        ("TemporalAdjusters.next(DayOfWeek.WEDNESDAY)", "2024-02-21"),
        ("TemporalAdjusters.nextOrSame(DayOfWeek.WEDNESDAY)", "2024-02-14"),
        ("TemporalAdjusters.previous(DayOfWeek.MONDAY)", "2024-02-12"),
        ("TemporalAdjusters.previousOrSame(DayOfWeek.THURSDAY)", "2024-02-08"),
        ("TemporalAdjusters.firstInMonth(DayOfWeek.FRIDAY)", "2024-02-02"),
        ("TemporalAdjusters.lastInMonth(DayOfWeek.FRIDAY)", "2024-02-23"),
        ("TemporalAdjusters.dayOfWeekInMonth(2, DayOfWeek.SUNDAY)", "2024-02-11"),
        ("TemporalAdjusters.dayOfWeekInMonth(-2, DayOfWeek.SUNDAY)", "2024-02-18"),
        ("TemporalAdjusters.dayOfWeekInMonth(0, DayOfWeek.SUNDAY)", "2024-01-28"),
        ("Month.MAY", "2024-05-14"),
        ("LocalDate.of(2020, 1, 2)", "2020-01-02"),
    ] {
        assert_eq!(day(adjuster), format!("\"{expected}\""), "{adjuster}");
    }
    check(&[(
        "ZonedDateTime.parse('2024-02-14T10:30:00Z').with(TemporalAdjusters.firstDayOfYear()).toString()",
        "\"2024-01-01T10:30Z\"",
    )]);
}
