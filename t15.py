from common import *
import weakref
u=img("/tmp/rv/e.png",20,20)
T=sdimage.transforms
mode=sys.argv[1]
if mode=="nofind": sdimage.Manager._find=lambda *a:None
m=sdimage.Manager()
if mode=="keep": KEEP=[T.custom(f"k{i}",lambda img,*a,i=i: img) for i in range(50)]
elif mode=="keeploads":
    sdimage.Manager._find=lambda *a:None
    KEEP=[T.custom(f"k{i}",lambda img,*a,i=i: img) for i in range(50)]
    for k in KEEP: m.load(u,transformer=k)
else:
    for i in range(50): m.load(u,transformer=T.custom(f"k{i}",lambda img,*a,i=i: img))
m.close()
if mode=="findgc": import gc; gc.collect()
if mode=="exc":
    try: m.load(u)
    except sdimage.Error as e: pass
