//! Where a package's list of stop words and Lucene's differ by little.

/// The words of one language, separated by spaces.
pub struct Difference {
    pub language: &'static str,
    /// Those of Lucene that the package does not have.
    pub missing: &'static str,
    /// Those of the package that Lucene does not have.
    pub excess: &'static str,
}

pub const DIFFERENCES: [Difference; 11] = [
    Difference {
        language: "bulgarian",
        missing: "тн",
        excess: "автентичен бивш бивша бившо благодаря внимава време главен главна глас година години годишен два \
                 двама двамата две двете ден днес дни добра добре добро добър друг друга други евтин една еднаква \
                 еднакви еднакъв едно екип живот забавям заспал лесен лесно лош май малко мек месец много мокър \
                 нещо нищо нов нова нови новина няколко първата първи пъти равен равна сам син следващ смях т.н. \
                 три утре хиляди часа юмрук як",
    },
    Difference {
        language: "catalan",
        missing: "",
        excess: "anar ans bastant bé consegueixo conseguim conseguir consigueix consigueixen consigueixes elles \
                 ells era erem eres estan estat estava estem estic fa faig fan fas fem fer feu fi haver inclòs jo \
                 llarg mode podem poden poder podeu primer puc sabem saben saber sabeu sap saps sense ser soc som \
                 te tene tenim tenir teniu tinc éssent últim ús",
    },
    Difference { language: "finnish", missing: "tuota tällä", excess: "tallä tuotä" },
    Difference {
        language: "french",
        missing: "ceci cela celà cet cette ici ils leurs quel quelle quelles quels sans soi",
        excess: "as aura auras avions ayante ayantes ayants est fût sommes son étante étantes étants été étés",
    },
    Difference {
        language: "greek",
        missing: "",
        excess: "γα γε επ καθ κατ μεθ μετ παρ ποτε προ πως τε τι τινα τις τισ τοι",
    },
    Difference {
        language: "hungarian",
        missing: "első elő először előtt ő ők őket",
        excess: "elsõ elõ elõször elõtt õ õk õket",
    },
    Difference {
        language: "romanian",
        missing: "dintr printr",
        excess: "acord caut cinci dată dau dintr- doi doilea două fata fiu frumos graţie grație halbă mai mie \
                 mulţumesc mulțumesc mîine nevoie nimeri nimic noroc nouă opt patra patru patrulea pic puţin \
                 puţina puţină puțin puțina puțină rog spate sută timp trei treia treilea uneia unii unora unu \
                 unui unuia unul vreme zece zero zi zice şapte şase ştiu șapte șase știu",
    },
    Difference {
        language: "russian",
        missing: "говорил жизнь кажется сегодня сказал сказала сказать человек",
        excess: "",
    },
    Difference {
        language: "spanish",
        missing: "sido siendo vosotras vosotros",
        excess: "sentid sentida sentidas sentido sentidos siente sintiendo vosostras vosostros",
    },
    Difference { language: "swedish", missing: "sitt", excess: "sitta" },
    Difference { language: "thai", missing: "", excess: "้ง" },
];
