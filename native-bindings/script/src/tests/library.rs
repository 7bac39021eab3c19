//! Methods of the library.

use super::{check, run};

#[test]
fn texts() {
    check(&[
        ("'Hello'.length()", "5"),
        ("'héllo'.substring(1, 3)", "\"él\""),
        ("'a😀b'.length()", "4"),
        ("'hello'.indexOf('l') + 'hello'.lastIndexOf('l')", "5"),
        ("'a,b,c'.splitOnToken(',')", "[\"a\",\"b\",\"c\"]"),
        ("' x '.trim() + 'AbC'.toLowerCase()", "\"xabc\""),
        ("'abc'.charAt(1) == (char)'b'", "true"),
        ("'abc'.contains('b') && 'abc'.startsWith('ab') && 'abc'.endsWith('c')", "true"),
        ("'b'.compareTo('a') + 'abc'.compareTo('ab')", "2"),
        ("'hello'.hashCode()", "99162322"),
        ("'aaa'.replace('a', 'bb')", "\"bbbbbb\""),
        ("String.join('-', ['a', 'b'])", "\"a-b\""),
        ("'a'.encodeBase64() + 'YQ=='.decodeBase64()", "\"YQ==a\""),
        ("String.format('%05.2f|%-4s|%x|%,d', 3.14159, 'a', 255, 1234567)", "\"03.14|a   |ff|1,234,567\""),
        (
            "StringBuilder b = new StringBuilder('x'); b.append(1).append(2.0).insert(0, 'y').reverse(); b.toString()",
            "\"0.21xy\"",
        ),
        ("'abc'.isEmpty() || ''.isEmpty()", "true"),
    ]);
}

#[test]
fn numbers() {
    check(&[
        ("Integer.parseInt('42') + Long.parseLong('-1')", "41"),
        ("Double.parseDouble('1.5e3')", "1500.0"),
        ("Math.max(1, 2L)", "2"),
        ("Math.max(1, 2.5)", "2.5"),
        ("Math.round(2.5) + Math.round(-2.5)", "1"),
        ("Math.pow(2, 10) + Math.sqrt(16) + Math.abs(-3)", "1031.0"),
        ("Math.floorMod(-7, 3)", "2"),
        ("Integer.toBinaryString(10) + Integer.toHexString(-1)", "\"1010ffffffff\""),
        ("Integer.MAX_VALUE", "2147483647"),
        ("((Integer)5).compareTo(7)", "-1"),
        ("def x = 5; x.intValue() + x.doubleValue()", "10.0"),
        ("Character.isDigit((char)'5') && Character.isLetter((char)'x')", "true"),
        ("Boolean.parseBoolean('TRUE')", "true"),
    ]);
}

#[test]
fn collections() {
    check(&[
        ("def l = [1, 2, 3]; l.remove(0); l.add(9); l.removeIf(x -> x == 2); l", "[3,9]"),
        ("def l = [3, 1, 2]; Collections.sort(l); l.indexOf(2)", "1"),
        ("[1, 2, 3, 4].findAll(x -> x % 2 == 0)", "[2,4]"),
        ("[1, 2, 3].collect(x -> x + 1).sum()", "9.0"),
        ("['a', 'bb', 'cc'].groupBy(s -> s.length())", "{\"1\":[\"a\"],\"2\":[\"bb\",\"cc\"]}"),
        ("[1, 2].any(x -> x > 1) && ![1, 2].every(x -> x > 1)", "true"),
        ("def m = new TreeMap(); m.put('b', 1); m.put('a', 2); m", "{\"a\":2,\"b\":1}"),
        ("def m = ['a': 1]; m.computeIfAbsent('b', k -> 5); m.getOrDefault('c', 7) + m.b", "12"),
        ("def s = new HashSet(); s.add(1); s.add(1); s.size()", "1"),
        ("def m = ['x': 1, 'y': 2]; m.entrySet().removeIf(e -> true); m.remove('x'); m", "{\"y\":2}"),
        ("IntStream.range(0, 5).boxed().collect(Collectors.toList())", "[0,1,2,3,4]"),
        ("[5, 3].stream().mapToDouble(x -> x).average().getAsDouble()", "4.0"),
        ("[5, 3].stream().max(Comparator.naturalOrder()).get()", "5"),
        (
            "['bb', 'a'].stream().sorted(Comparator.comparing(String::length)).collect(Collectors.toList())",
            "[\"a\",\"bb\"]",
        ),
        ("['a', 'b', 'a'].stream().collect(Collectors.groupingBy(x -> x, Collectors.counting()))", "{\"a\":2,\"b\":1}"),
        ("def it = [1, 2, 3].iterator(); int s = 0; while (it.hasNext()) { s += it.next() } s", "6"),
        (
            "def l = [1, 2, 3]; for (def it = l.iterator(); it.hasNext();) { if (it.next() == 2) it.remove() } l",
            "[1,3]",
        ),
        ("Arrays.asList(1, 2).containsAll([1])", "true"),
        ("['a': 1].toString() + [1, 'b', null].toString()", "\"{a=1}[1, b, null]\""),
        ("Optional.ofNullable(null).orElse(4)", "4"),
        ("[[1, 2], [3]].stream().flatMap(l -> l.stream()).count()", "3"),
        ("[3, 1].stream().reduce(0, (a, b) -> a + b)", "4"),
        ("def l = [1, 2, 3, 4]; l.subList(1, 3)", "[2,3]"),
        ("def l = new ArrayList([1, 2]); l.addAll([3]); l.contains(3)", "true"),
    ]);
}

#[test]
fn dates() {
    check(&[
        ("ZonedDateTime.parse('2020-02-29T10:15:30Z').plusYears(1).toString()", "\"2021-02-28T10:15:30Z\""),
        ("ZonedDateTime d = ZonedDateTime.parse('2020-01-31T00:00:00Z'); d.plusMonths(1).getDayOfMonth()", "29"),
        ("Instant.ofEpochMilli(1000L).toString()", "\"1970-01-01T00:00:01Z\""),
        (
            "ZonedDateTime.ofInstant(Instant.ofEpochMilli(0L), ZoneId.of('Europe/Paris')).toString()",
            "\"1970-01-01T01:00+01:00[Europe/Paris]\"",
        ),
        ("LocalDate.of(2020, 1, 1).plusDays(59).toString()", "\"2020-02-29\""),
        ("ChronoUnit.DAYS.between(LocalDate.parse('2020-01-01'), LocalDate.parse('2020-03-01'))", "60"),
        ("Duration.ofMinutes(90).toString()", "\"PT1H30M\""),
        ("ZonedDateTime.parse('2020-06-15T12:00:00Z').dayOfWeekEnum.getValue()", "1"),
        (
            "ZonedDateTime.parse('2020-06-15T12:34:56.789Z').truncatedTo(ChronoUnit.HOURS).toInstant().toEpochMilli()",
            "1592222400000",
        ),
        (
            "DateTimeFormatter.ofPattern('yyyy/MM/dd').format(ZonedDateTime.parse('2020-06-15T12:00:00Z'))",
            "\"2020/06/15\"",
        ),
        ("LocalDateTime.parse('2020-01-01T10:00:00').toLocalTime().getHour()", "10"),
        ("ZonedDateTime.parse('2020-06-15T12:00:00Z').isAfter(ZonedDateTime.parse('2019-06-15T12:00:00Z'))", "true"),
        ("ZonedDateTime.parse('2020-06-15T12:00:00Z')", "\"2020-06-15T12:00:00.000Z\""),
        ("ZonedDateTime.of(2020, 1, 2, 3, 4, 5, 0, ZoneId.of('UTC')).toString()", "\"2020-01-02T03:04:05Z[UTC]\""),
        ("ZonedDateTime.of(2020, 1, 2, 3, 4, 5, 0, ZoneId.of('Z')).toString()", "\"2020-01-02T03:04:05Z\""),
        (
            "[ZoneId.of('UTC'), ZoneId.of('GMT'), ZoneId.of('Z'), ZoneOffset.UTC].collect(z -> z.getId())",
            "[\"UTC\",\"GMT\",\"Z\",\"Z\"]",
        ),
        ("[ZoneId.of('UTC') == ZoneId.of('UTC'), ZoneId.of('UTC') == ZoneOffset.UTC]", "[true,false]"),
        (
            "def at = ZonedDateTime.parse('2020-06-15T12:00:00Z').withZoneSameInstant(ZoneId.of('UTC')); \
             [at.hour, DateTimeFormatter.ofPattern('VV XXX').format(at), at.getOffset().getId(), at.plusMonths(1).toString()]",
            "[12,\"UTC Z\",\"Z\",\"2020-07-15T12:00Z[UTC]\"]",
        ),
        ("ZonedDateTime.parse('2020-06-15T12:00:00Z').withZoneSameInstant(ZoneId.of('America/New_York')).hour", "8"),
    ]);
}

#[test]
fn random_numbers_are_those_of_java() {
    check(&[
        ("def r = new Random(42L); [r.nextInt(10), r.nextInt(10), r.nextInt(10)]", "[0,3,8]"),
        (
            "Random r = new Random(42); for (int i = 0; i < 3; i++) { r.nextInt(10) } [r.nextInt(), r.nextLong(), r.nextDouble(), r.nextFloat()]",
            "[205897768,5694868678511409995,0.27707849007413665,0.6655489]",
        ),
        (
            "def r = new Random(-7L); [r.nextGaussian(), r.nextInt(), r.nextGaussian(), r.nextFloat()]",
            "[-1.1860262593274535,-2055186340,0.8896355203316739,0.14642578]",
        ),
        ("def r = new Random(5L); r.nextGaussian(); r.setSeed(42L); [r.nextInt(10), r.nextBoolean()]", "[0,false]"),
        ("new Random(5).nextInt(10)", "7"),
    ]);
    assert!(run("new Random(5L).nextInt(0)").contains("bound must be positive"));
    assert!(run("new Random()").contains("pass one"));
}

#[test]
fn times_become_texts_with_offsets() {
    check(&[
        (
            "ZonedDateTime.parse('2024-08-22T17:27:00Z').withZoneSameInstant(ZoneId.of('Asia/Tokyo'))",
            "\"2024-08-23T02:27:00.000+09:00\"",
        ),
        (
            "ZonedDateTime.parse('2024-08-22T17:27:00Z').plusNanos(1500).withZoneSameInstant(ZoneId.of('+05:30'))",
            "\"2024-08-22T22:57:00.0000015+05:30\"",
        ),
        (
            "def d = ZonedDateTime.parse('2024-08-22T17:27:00Z'); [d.toLocalDateTime(), d.toInstant(), d.toLocalDate(), d.toLocalTime()]",
            "[\"2024-08-22T17:27:00.000Z\",\"2024-08-22T17:27:00.000Z\",\"2024-08-22\",\"17:27:00.000\"]",
        ),
        ("Instant.ofEpochMilli(1120L)", "\"1970-01-01T00:00:01.120Z\""),
        ("[Duration.ofMinutes(90), Period.ofDays(3)]", "[\"PT1H30M\",\"P3D\"]"),
    ]);
}
