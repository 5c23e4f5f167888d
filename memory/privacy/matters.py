"""The words by which sensitive matters are told, Chinese and English; all are matched on folded text in lower case."""

from __future__ import annotations

from memory.privacy.pattern import rx

_PERSON_ZH = (
    r"我|咱|俺|本人|爸|妈|父亲|母亲|爹|娘|老公|老婆|妻子|丈夫|爱人|对象|儿子|女儿|孩子|宝宝|娃|爷|奶奶|外公|外婆|姥|哥|姐|弟|妹|叔|姨"
    r"|舅|婶|公公|婆婆|岳"
    r"|男友|女友|男朋友|女朋友|室友|同事|朋友|他|她"
)
_PERSON_EN = (
    r"\b(?:i|i'm|i've|me|my|mine|we|our|he|she|his|her|him|mom|mum|dad|mother|father|wife|husband|son|daughter|kid|child|brother|sister"
    r"|partner|grand(?:ma|pa|mother|father))\b"
)
PERSON = rx(_PERSON_ZH + "|" + _PERSON_EN)
FOUND_OUT = rx(
    r"查出|检查出|在看(?=心理|精神)|怀孕(?:已经)?[快几一二三四五六七八九十\d]+个?(?:多)?[月周]|诊断|确诊|疑似|得了|患有?|患上|犯了"
    r"|复发|医生(?:说|让|叫|建议|嘱咐|开|要求)|大夫|复查|随访|住院|出院|手术|化疗|放疗"
    r"|透析|病史|遗传|服药|吃药|[早中晚]期|[一二三四\d]级"
    r"|轻度|中度|重度|体检(?:发现|报告|结果|显示)|报告(?:显示|说)"
    r"|\bdiagnos|\bsuffer|\bprescri|\bdoctor (?:said|says|told|wants)|\bstage (?:\d|i)|\btest(?:ed)? positive|\bhospital"
)
_ILLNESS_ZH = (
    r"高血压|低血压|高血脂|高血糖|血压(?:[^,。]{0,6}\d|偏?[高低])|血糖[^,。]{0,6}(?:\d|高)|血脂[^,。]{0,4}高|尿酸[^,。]{0,6}(?:\d|高)"
    r"|糖尿|痛风|抑郁"
    r"|双相|躁郁|精神分裂|多动|自闭"
    r"|阿斯伯格|失眠|癫痫|中风|脑梗|脑溢血|心梗|冠心|房颤|早搏|心律不齐|心脏病|乙肝|丙肝|大三阳|小三阳|脂肪肝|艾滋|hiv|梅毒|性病|怀孕"
    r"|流产|备孕|不孕|试管婴儿|甲亢|甲减|桥本|哮喘|肺结核"
    r"|化疗|放疗|透析|支架|搭桥|起搏器|胰岛素|二甲双胍|降压药|降糖药|抗抑郁|安眠药|避孕|痴呆|阿尔茨海默|帕金森|偏瘫|截瘫|残疾|色盲|色弱"
    r"|失聪|听力(?:下降|损失|障碍|不好|很?差)|嗅觉(?:还没|没有?)|心理(?:医生|咨询|治疗)|精神科|多囊|新冠|高度近视|近视|散光|白内障|青光眼"
    r"|腰突|椎间盘|半月板|韧带|骨折|痔疮|湿疹|银屑|牛皮癣|白癜风|红斑狼疮|强直|类风湿|脊柱侧弯|月经|痛经|更年期|打呼噜.{0,6}暂停|酒瘾"
    r"|戒毒|自残|割腕|厌食|暴食症|幽门"
    r"|(?:霉素|头孢|阿司匹林|磺胺|布洛芬|造影剂|药)[^,。]{0,3}过敏|过敏[^,。]{0,3}(?:青霉素|头孢|阿司匹林|磺胺|布洛芬)"
    r"|(?:癌|瘤|结节|综合征|综合症|息肉|结石|囊肿|梗死|梗塞|衰竭|溃疡|硬化|血症|贫血|积液)"
    r"|[炎病症](?<=[\u4e00-\u9fff]{2})(?![热暑状毒房人历假])"
)
NO_ILLNESS = rx(
    r"毛病|通病|弊病|语病|诟病|职业病|红眼病|相思病|思乡病|公主病|王子病|富贵病|没病|看病|治病|探病|生病|病毒|拖延症|选择(?:困难"
    r"|恐惧)症|懒癌|尴尬癌|直男癌|社恐|强迫症|路痴|后遗症(?=是)|消炎|上火发炎|空调病"
)
_ILLNESS_EN = (
    r"\b(?:stroke|heart (?:attack|disease|condition|failure)|cancer|tumou?rs?|leuk(?:a)?emia|lymphoma|diabet\w+|asthma\w*|epilep\w+"
    r"|seizures?|depress(?:ion|ed since)|clinical depression"
    r"|anxiety(?: disorder)?|panic attacks?|bipolar|schizophren\w+|adhd|autis\w+|asperger\w*|ptsd|ocd|hiv|hepatitis|herpes"
    r"|migraines?|arthritis|hypertension"
    r"|(?:high|low) blood pressure|blood (?:sugar|pressure) (?:is|of|at|was)|cholesterol|thyroid|pregnan\w+|miscarr\w+|ivf|infertil\w+"
    r"|chemo\w*|radiotherapy|dialysis|pacemaker|surgery|operated on"
    r"|insulin|metformin|antidepress\w+|ssris?|lithium|warfarin|statins?|dementia|alzheimer\w*|parkinson\w*|multiple sclerosis|ulcers?"
    r"|hernia|kidney (?:stones?|disease|failure)|crohn\w*|colitis|ibs"
    r"|celiac disease|coeliac disease|eczema|psoriasis|sciatica|slipped disc|herniated|fractured?|broke (?:my|his|her) (?:\w+ )?(?:leg"
    r"|arm|hip|wrist|ankle|collarbone)|insomnia|sleep apn\w+|biopsy|in remission"
    r"|relapsed?|rehab|alcoholi\w+|overdos\w+|suicid\w+|lupus|an(?:a)?emia|an(?:a)?emic|tinnitus|glaucoma|cataracts?"
    r"|colou?r[- ]?blind\w*|deaf|short-?sighted|near-?sighted|myopi\w+|scoliosis|endometriosis|pcos"
    r"|menopause|chronic (?:\w+ )?pain|covid|pneumonia|bronchitis|hospitali[sz]ed|therapist|psychiatrist|counsell?or"
    r"|\w{3,16}itis|carcinoma|melanoma|osteoporosis|fibrosis|thrombosis|neuropathy|blood clots?|embolism|tuberculosis"
    r"|gout|vertigo|wheelchair"
    r"|allergic to (?:penicillin|amoxicillin|sulfa\w*|aspirin|ibuprofen|codeine|latex|an(?:a)?esthe\w+|contrast)|(?:penicillin|drug"
    r"|medication) allerg\w+)\b"
)
ILLNESS = rx(_ILLNESS_ZH + "|" + _ILLNESS_EN)
NOT_A_PERSON = rx(
    r"科医生|医院上班|研究|论文|文章|小说|项目|课题|公益|捐款|讲座|新闻|科普|主题|电影|纪录片|游戏|保险|电脑|手机|软件|系统"
    r"|车(?:子)?(?:出|有)|猫|狗|宠物|兔|植物|多肉|果树"
    r"|\b(?:research|thesis|essay|article|novel|documentary|charity|fundrais\w+|lecture|my (?:cat|dog|car|laptop|plant)|the (?:cat|dog)"
    r"|stroke[ -]orders?|heart attack of laughter|strategy|economy|market)\b"
)
RELIGION = rx(
    r"(?:信|信仰|皈依|改信)(?:了)?(?:佛|基督|天主|伊斯兰|道教|耶稣|上帝|主(?!要|题|流)|神(?!马)|印度教|犹太教)|(?:是"
    r"|为)[^,。]{0,6}(?:基督徒|穆斯林|佛教徒|天主教徒|道教徒|教友|居士|无神论者|摩门教徒|教徒)"
    r"|受洗|(?:我|我们|家|妈|爸|奶奶|外婆)[^,。]{0,6}(?:做礼拜|去教堂|拜佛|念经|做主日|礼佛)"
    r"|\b(?:i'm|i am|we are|we're|he is|she is|my (?:family|wife|husband|parents?|mother|father) (?:is"
    r"|are)) (?:an? )?(?:\w+ )?(?:christian|muslim|jewish|hindu|buddhist|catholic|protestant|mormon|sikh|atheist|agnostic|orthodox)s?\b"
    r"|\b(?:got |was |been )baptized\b|\bconverted to (?:islam|christianity|judaism|buddhism|catholicism)\b|\bi (?:pray|worship)\b"
    r"|\bgo to (?:church|mosque|synagogue) every\b"
)
POLITICS = rx(
    r"(?:我|我们|爸|妈|他|她|老公|老婆)[^,。]{0,8}(?:入党|党员|预备党员|退党|团员|民主党派|政治立场|政治观点|左派|右派|投(?:了|给"
    r"|过)?(?:[一两]票|给)|支持[^,。]{0,4}党)|党费|投票给"
    r"|\bi (?:voted|vote|will vote|campaign) for (?:the )?(?:\w+ )?(?:party|greens?|democrats?|republicans?|labour|tories"
    r"|conservatives?|liberals?"
    r"|president|prime minister|mayor|governor|senator|trump|biden|harris|obama)\b|\bi (?:voted|vote) (?:in the|left|right|against)\b"
    r"|\b(?:i'm|i am|we are) (?:an? )?(?:\w+ )?(?:democrat|republican"
    r"|conservative voter"
    r"|labour voter|socialist|communist|liberal voter|libertarian)\b|\bparty member\b|\bmy politic\w+"
)
AUTHORITIES = rx(
    r"低保|信访|上访|政审|服刑|判刑|刑满|案底|犯罪记录|拘留|取保候审|刑事|缓刑|假释|传唤|立案|难民|签证被拒|拒签|移民(?:申请|案|面谈)"
    r"|税务稽查|行政处罚|限高|失信被执行|离婚官司|强制执行|家暴(?:告诫|保护)"
    r"|\b(?:criminal record|on probation|on parole|parole officer|got arrested|was arrested|asylum|immigration (?:case|hearing"
    r"|interview)|deport\w+|visa (?:was |got )?(?:denied|refused|rejected)|welfare benefits|food stamps"
    r"|restraining order|tax audit|convicted|felony|jail|prison sentence)\b"
)
AGENCY = rx(
    r"[我们咱区县市省厅]局|[们市省]处(?![于理在])|局里|厅里|部里|部委|委员会|纪委|监委|组织部|宣传部|统战部|机关|政府|公安|国安|法院"
    r"|检察院|海关|军区|部队"
    r"|连队|军方|外交部|使馆|街道办|干部|官员|领导班子|[市县省区镇州]里(?!面)|书记|[市县省区镇乡局处厅部]长|财政|税务|指挥部|专班"
    r"|巡[视察]组|专案组"
    r"|\b(?:ministr\w+|government|cabinet|embassy|consulate|bureau|police|military|army|navy|border|senate|parliament|council"
    r"|white house|pentagon|treasury|home office|intelligence (?:agency|service)|agency|department of)\b"
)
NOT_PUBLIC = rx(
    r"未公布|没公布|未公开|没公开|尚未(?:公布|公开|发布|宣布)|还没(?:公布|公开|发布|宣布)|才(?:公布|公开|发布|宣布)|内部(?:文件|消息"
    r"|通报|名单|会议|资料|传达|数据)|涉密|机密|绝密|秘密(?:文件|会议|行动)|保密|密级|红头文件"
    r"|别外传|不外传|不要外传|勿外传|不能外传|别往外说|不能说出去|外泄|泄露|内参|密件|拟任|考察名单|部署(?:行动|方案)|未下发|没下发"
    r"|还没(?:下发|批复|定稿|对外|通知|公示)|不对外|没对外|未对外|下(?:周|个?月)(?:才|再)?(?:公布|宣布)|即将(?:公布|宣布)|(?:公示|公布"
    r"|宣布)(?:之)?前"
    r"|没公示|未公示|内定|标底|底价|先别(?:声张|往外)|不(?:能|许|得|要)(?:公开|对外|声张|外泄)"
    r"|\b(?:classified|confidential|top secret|not (?:yet )?(?:public|announced|released)|unreleased|unannounced|undisclosed"
    r"|non-?public|embargoed|before (?:it(?:'s| is)|they) announced?|leak(?:ed)?|off the record|internal (?:memo|draft|list)|secret"
    r"|(?:has|have)n't (?:been )?announced|keep (?:it|this|that) (?:quiet|secret|to yourself|between us)"
    r"|don't (?:share|tell anyone|spread))\b"
)
AGREES = rx(
    r"(?:同意|授权|允许|准许|许可|可以|放心)[^。!?;\n]{0,14}(?:存|记|保存|保留|留着)|我(?:已)?(?:授权|同意)(?:的|了|你)"
    r"|\b(?:i (?:explicitly |hereby |do )?(?:agree|consent|allow|permit|authori[sz]e)|you (?:may|have my (?:permission|consent)|can)"
    r"|feel free to|(?:it'?s|it is) (?:ok|okay|fine|alright) (?:to|if you)|with my consent)\b"
    r"[^.!?\n]{0,48}\b(?:keep|kept|store|stored|remember|save|saved|record|note|retain)"
)
REFUSES = rx(r"不同意|不授权|不允许|不可以|不准|不许|没授权|\b(?:don'?t|do not|never|not) (?:agree|consent|allow|permit|authori[sz]e)")
QUESTION = rx(r"\?\s*$|吗[。!\s]*$|呢[。!\s]*$|^(?:what|how|why|can|is|are|does|do|should|which)\b|什么|怎么|为什么|如何|多少|能不能|哪")
